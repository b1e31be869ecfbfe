#include "core/explain/caution.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/quantile.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

/// From the 10 % to the 90 % quantile, of the median.
constexpr double kScatter = 0.25;

}  // namespace

std::string caution_of_times(std::vector<Seconds> times, const std::string& remedy) {
  if (times.size() == 1)
    return "caution: one alone may be unlike others; make it again with " + remedy;
  std::ranges::sort(times);
  const Seconds low = quantile_of_sorted(times, 0.1), high = quantile_of_sorted(times, 0.9);
  if (high - low <= kScatter * quantile_of_sorted(times, 0.5)) return {};
  return fmt::format("caution: iteration times scatter: 10 % and 90 % quantiles {} and {} ms",
                     four_digits(low * 1e3), four_digits(high * 1e3));
}

}  // namespace tandem
