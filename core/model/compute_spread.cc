#include "core/model/compute_spread.h"

#include <algorithm>
#include <cmath>

#include "core/base/median.h"

namespace tandem {
namespace {

/// Of ascending values, linear between them.
double at(const std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= values.size()) return values.back();
  return std::lerp(values[below], values[below + 1], place - static_cast<double>(below));
}

}  // namespace

ComputeSpread ComputeSpread::of(std::vector<double> seconds) {
  constexpr int kSteps = 20;
  const double middle = median(seconds);
  std::ranges::sort(seconds);
  std::vector<double> quantiles;
  for (int i = 0; i <= kSteps; ++i)
    quantiles.push_back(at(seconds, static_cast<double>(i) / kSteps) / middle);
  return ComputeSpread(std::move(quantiles));
}

double ComputeSpread::draw(RandomStream& random) const {
  return empty() ? 1 : at(quantiles_, random.uniform());
}

}  // namespace tandem
