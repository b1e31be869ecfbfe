#pragma once

#include <cstddef>

namespace tandem::cuda {

/// Bytes that stand-ins for GPUs have copied from and to the host.
struct CopiedBytes {
  std::size_t in, out;
};
CopiedBytes copied_bytes();

}  // namespace tandem::cuda
