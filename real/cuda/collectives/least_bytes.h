#pragma once

#include <cstddef>

namespace tandem::cuda {

/// Of a collective that GPUs do: below, hosts have formed a sum before a kernel begins.
inline constexpr std::size_t kLeastBytes = 16 << 10;

}  // namespace tandem::cuda
