#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tandem {

/// A figure as JSON: null for none. A diverged loss is a measurement too, but JSON has no name for
/// it, so what is not finite goes as the text "nan", "inf" or "-inf".
inline nlohmann::json json_number(std::optional<double> figure) {
  if (!figure) return nullptr;
  if (std::isfinite(*figure)) return *figure;
  return std::isnan(*figure) ? "nan" : *figure > 0 ? "inf" : "-inf";
}

inline std::optional<double> number_from(const nlohmann::json& json) {
  if (json.is_null()) return std::nullopt;
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

}  // namespace tandem
