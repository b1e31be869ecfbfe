#include "core/model/compute_spread.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "core/base/median.h"
#include "core/base/quantile.h"

namespace tandem {
ComputeSpread ComputeSpread::of(std::vector<double> seconds) {
  constexpr int kSteps = 20;
  const double middle = median(seconds);
  std::ranges::sort(seconds);
  std::vector<double> quantiles;
  for (int i = 0; i <= kSteps; ++i)
    quantiles.push_back(quantile_of_sorted(seconds, static_cast<double>(i) / kSteps) / middle);
  return ComputeSpread(std::move(quantiles));
}

ComputeSpread ComputeSpread::log_normal(double sigma) {
  ComputeSpread spread;
  spread.sigma_ = sigma;
  return spread;
}

ComputeSpread ComputeSpread::weibull(double shape) {
  ComputeSpread spread;
  spread.shape_ = shape;
  return spread;
}

double ComputeSpread::draw(RandomStream& random) const {
  if (sigma_ > 0) {
    const double normal = std::numbers::sqrt2 * boost::math::erf_inv(2 * random.open_uniform() - 1);
    return std::exp(sigma_ * normal - sigma_ * sigma_ / 2);
  }
  if (shape_ > 0)
    return std::pow(-std::log(random.open_uniform()), 1 / shape_) / std::tgamma(1 + 1 / shape_);
  return empty() ? 1 : quantile_of_sorted(quantiles_, random.uniform());
}

}  // namespace tandem
