#include "core/base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace tandem {
namespace {

constexpr std::string_view kBlanks = " \t";

struct Quantity {
  double value = 0;
  std::string_view unit;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<Quantity> split(std::string_view text) {
  text = trimmed(text);
  Quantity quantity;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.value);
  if (error != std::errc() || !(quantity.value >= 0)) return std::nullopt;
  quantity.unit = trimmed({rest, static_cast<std::size_t>(end - rest)});
  return quantity;
}

// The factor of a prefix such as "", "k", "Mi".
std::optional<double> prefix_factor(std::string_view prefix) {
  if (prefix.empty()) return 1;
  const bool binary = prefix.size() == 2 && prefix[1] == 'i';
  if (prefix.size() != (binary ? 2u : 1u)) return std::nullopt;
  const auto power = std::string_view("kMGT").find(prefix[0] == 'K' ? 'k' : prefix[0]);
  if (power == std::string_view::npos) return std::nullopt;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power) + 1);
}

std::optional<double> byte_factor(std::string_view unit) {
  if (!unit.ends_with('B')) return std::nullopt;
  return prefix_factor(unit.substr(0, unit.size() - 1));
}

std::optional<double> bandwidth_factor(std::string_view unit) {
  for (const std::string_view ending : {"/s", "ps"}) {
    if (!unit.ends_with(ending)) continue;
    const std::string_view amount = unit.substr(0, unit.size() - ending.size());
    if (const auto bytes = byte_factor(amount)) return bytes;
    const std::string_view bit = ending == "ps" ? "b" : "bit";
    if (!amount.ends_with(bit)) return std::nullopt;
    const auto bits = prefix_factor(amount.substr(0, amount.size() - bit.size()));
    if (bits) return *bits / 8;
  }
  return std::nullopt;
}

std::optional<double> second_factor(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us" || unit == "µs") return 1e-6;
  if (unit == "ns") return 1e-9;
  if (unit == "min") return 60;
  if (unit == "h") return 3600;
  return std::nullopt;
}

template <typename Factor>
std::optional<double> parse(const std::string& text, Factor factor_of) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  if (quantity->unit.empty() && (quantity->value == 0 || std::isinf(quantity->value)))
    return quantity->value;
  const auto factor = factor_of(quantity->unit);
  if (!factor) return std::nullopt;
  // A thousandth is no double, but a thousand is: 5 us are 5e-6 s, to the last bit.
  return *factor < 1 ? quantity->value / std::round(1 / *factor) : quantity->value * *factor;
}

}  // namespace

std::optional<double> parse_bytes(const std::string& text) {
  return parse(text, byte_factor);
}

std::optional<double> parse_bandwidth(const std::string& text) {
  return parse(text, bandwidth_factor);
}

std::string bandwidth_text(double bytes_per_s) {
  constexpr std::string_view kPrefixes = "kMGT";
  double amount = 8 * bytes_per_s;
  std::string prefix;
  for (std::size_t i = 0; i < kPrefixes.size() && amount >= 1000; ++i) {
    amount /= 1000;
    prefix = kPrefixes[i];
  }
  return fmt::format("{:.4g} {}bit/s", amount, prefix);
}

std::optional<double> parse_seconds(const std::string& text) {
  return parse(text, second_factor);
}

}  // namespace tandem
