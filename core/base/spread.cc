#include "core/base/spread.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/median.h"
#include "core/base/quantile.h"

namespace tandem {
namespace {

/// Of mean 0 and deviation 1.
double normal_quantile(double share) {
  return std::numbers::sqrt2 * boost::math::erf_inv(2 * share - 1);
}

}  // namespace

Spread Spread::of(std::vector<double> seconds) {
  constexpr int kSteps = 20;
  const double middle = median(seconds);
  std::ranges::sort(seconds);
  std::vector<double> quantiles;
  for (int i = 0; i <= kSteps; ++i)
    quantiles.push_back(quantile_of_sorted(seconds, static_cast<double>(i) / kSteps) / middle);
  return Spread(std::move(quantiles));
}

Spread Spread::log_normal(double sigma) {
  Spread spread;
  spread.sigma_ = sigma;
  spread.mu_ = -sigma * sigma / 2;
  return spread;
}

Spread Spread::log_normal_of_quartiles(double ratio) {
  Spread spread;
  spread.sigma_ = std::log(ratio) / (normal_quantile(0.75) - normal_quantile(0.25));
  return spread;
}

Spread Spread::weibull(double shape) {
  Spread spread;
  spread.shape_ = shape;
  return spread;
}

double Spread::draw(RandomStream& random) const {
  if (sigma_ > 0) return std::exp(mu_ + sigma_ * normal_quantile(random.open_uniform()));
  if (shape_ > 0)
    return std::pow(-std::log(random.open_uniform()), 1 / shape_) / std::tgamma(1 + 1 / shape_);
  return empty() ? 1 : at(random.uniform());
}

double Spread::at(double share) const {
  return quantile_of_sorted(quantiles_, share);
}

double EvenShares::next(RandomStream& random) {
  if (given_ == kStrata) {
    std::iota(order_.begin(), order_.end(), 0);
    for (int i = kStrata - 1; i > 0; --i) std::swap(order_[i], order_[random.below(i + 1)]);
    given_ = 0;
  }
  return (order_[given_++] + double{random.uniform()}) / kStrata;
}

}  // namespace tandem
