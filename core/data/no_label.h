#pragma once

#include <cstdint>

namespace tandem {

/// A label that stands for none: its sample (or position) counts neither in the loss nor as
/// correct.
inline constexpr std::int32_t kNoLabel = -1;

}  // namespace tandem
