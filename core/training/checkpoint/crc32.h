#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tandem {

/// The CRC-32 of some bytes that follow others, of which it is `before`.
inline std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace tandem
