#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"

namespace tandem {

inline bool is_nested_deeper(const nlohmann::json& value, int levels) {
  return value.is_structured() &&
         (levels == 0 || std::ranges::any_of(value, [&](const nlohmann::json& part) {
            return is_nested_deeper(part, levels - 1);
          }));
}

/// JSON that somebody else may have written. No file of ours nests nearly as deep as the deepest
/// that is taken; what walks a value calls itself for each level, unlike the parser, whose callback
/// would take a time that grows with the square of an array. Throws RunError or nlohmann's
/// exceptions.
inline nlohmann::json parse_shallow_json(std::string_view text) {
  constexpr int kDeepest = 64;
  nlohmann::json value = nlohmann::json::parse(text);
  if (is_nested_deeper(value, kDeepest)) throw RunError("is nested too deeply");
  return value;
}

/// A whole number from 0 to `most`. Throws RunError for anything else, which nlohmann would
/// convert.
inline std::uint64_t whole_number(const nlohmann::json& value,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    throw RunError("a number in it is not whole, or too large");
  return value.get<std::uint64_t>();
}

}  // namespace tandem
