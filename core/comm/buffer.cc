#include "core/comm/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace tandem {

Buffer make_host_buffer(std::size_t elements, DType dtype) {
  constexpr std::size_t kAlignment = 64;  // a cache line, and an AVX-512 register
  const std::size_t bytes = elements * size_of(dtype);
  const std::size_t padded = (bytes / kAlignment + 1) * kAlignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, padded);
  return {Buffer::Storage(memory, std::free), elements, dtype};
}

Buffer make_size_only_buffer(std::size_t elements, DType dtype) {
  return {nullptr, elements, dtype};
}

}  // namespace tandem
