#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem {

/// Whole numbers from `first` to `last`, which may be the lesser: whoever reads them says so.
struct NumberRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// "3-7", or "3", which is 3 to 3. Nothing for any other text.
std::optional<NumberRange> parse_number_range(std::string_view text);

}  // namespace tandem
