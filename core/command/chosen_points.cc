#include "core/command/chosen_points.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/base/number_range.h"
#include "core/record/text_table.h"
#include "core/record/traced_point.h"

namespace tandem {
std::vector<std::size_t> chosen_points(const std::string& text, std::size_t points) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("--points {}: {}; give numbers from 1 to {}, such as 1 or 1,3-4",
                                 text, why, points));
  };
  std::set<std::size_t> chosen;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto range = parse_number_range(word);
    if (!range) refuse(fmt::format("'{}' is no number and no range", word));
    const auto [first, last] = *range;
    if (first < 1 || first > last) refuse(fmt::format("'{}' is no range of points", word));
    if (last > points) refuse(fmt::format("there is no point {}: the sweep has {}", last, points));
    for (std::size_t point = first; point <= last; ++point) chosen.insert(point - 1);
  }
  if (!text.empty() && (chosen.empty() || text.back() == ',')) refuse("it ends in nothing");
  return {chosen.begin(), chosen.end()};
}

std::size_t chosen_point(const std::filesystem::path& result, std::optional<int> point) {
  const std::size_t points = count_points(result);
  if (!point) return points - 1;
  if (*point < 1 || static_cast<std::size_t>(*point) > points)
    throw InputError(fmt::format("--point {}: {} has {}, counted from 1", *point, result.string(),
                                 counted(points, "point")));
  return *point - 1;
}

}  // namespace tandem
