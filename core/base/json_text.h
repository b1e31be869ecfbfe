#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"

namespace tandem {

/// JSON that somebody else may have written. No file of ours nests nearly as deep as the deepest
/// that is taken; what walks a value calls itself for each level. Throws RunError or nlohmann's
/// exceptions.
inline nlohmann::json parse_shallow_json(std::string_view text) {
  constexpr int kDeepest = 64;
  using Json = nlohmann::json;
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw RunError("is nested too deeply");
    return true;
  });
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
