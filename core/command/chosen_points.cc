#include "core/command/chosen_points.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/error.h"

namespace tandem {
namespace {

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::size_t> chosen_points(const std::string& text, std::size_t points) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("--points {}: {}; give numbers from 1 to {}, such as 1 or 1,3-4",
                                 text, why, points));
  };
  std::set<std::size_t> chosen;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t dash = word.find('-');
    const auto first = number(word.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(word.substr(dash + 1));
    if (!first || !last) refuse(fmt::format("'{}' is no number and no range", word));
    if (*first < 1 || *first > *last) refuse(fmt::format("'{}' is no range of points", word));
    if (*last > points)
      refuse(fmt::format("there is no point {}: the sweep has {}", *last, points));
    for (std::size_t point = *first; point <= *last; ++point) chosen.insert(point - 1);
  }
  if (!text.empty() && (chosen.empty() || text.back() == ',')) refuse("it ends in nothing");
  return {chosen.begin(), chosen.end()};
}

}  // namespace tandem
