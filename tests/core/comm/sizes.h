#pragma once

#include <cstddef>

namespace tandem {

inline constexpr std::size_t kMebibyte = 1 << 20;

}  // namespace tandem
