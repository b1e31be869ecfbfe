#pragma once

#include <string>

namespace tandem::cuda {

/// What the stand-in for NCCL is told by a test, and tells.
struct HostNccl {
  static inline std::string failure;  ///< where not empty, what failed meanwhile
  static inline int aborts = 0;
};

}  // namespace tandem::cuda
