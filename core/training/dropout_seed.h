#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace tandem {

/// Of a pass over `batch`, counted over the worker's passes: dropout masks differ between them and
/// between workers, and are the same in both worlds.
inline std::uint64_t dropout_seed(const Scenario& scenario, int rank, int batch) {
  return (scenario.seed * 0x9e3779b97f4a7c15U) ^
         (static_cast<std::uint64_t>(batch) << 20U | static_cast<std::uint64_t>(rank));
}

}  // namespace tandem
