#pragma once

#include <vector>

#include "core/base/random.h"

namespace tandem {

/// How iterations of one device differ in length: the distribution of what an iteration's computing
/// takes, as a factor of its median. Members that wait for each other wait for the slowest, so that
/// their iterations are longer than any one's alone.
class ComputeSpread {
 public:
  /// All iterations are alike.
  ComputeSpread() = default;
  /// Quantiles at equal distances, from the least to the most: 2 or more, ascending, above 0.
  explicit ComputeSpread(std::vector<double> quantiles) : quantiles_(std::move(quantiles)) {}

  /// Log-normal of mean 1 whose logarithm has the standard deviation `sigma`, above 0.
  static ComputeSpread log_normal(double sigma);
  /// Weibull's of mean 1 with the shape k, above 0.
  static ComputeSpread weibull(double shape);

  /// The distribution of `seconds` of like iterations, three or more.
  static ComputeSpread of(std::vector<double> seconds);

  bool empty() const { return quantiles_.empty() && sigma_ == 0 && shape_ == 0; }
  const std::vector<double>& quantiles() const { return quantiles_; }
  /// The factor of one iteration, by inversion of the distribution; between quantiles all are
  /// equally likely. 1 where empty.
  double draw(RandomStream& random) const;

 private:
  std::vector<double> quantiles_;
  double sigma_ = 0;  ///< of a log-normal distribution; else 0
  double shape_ = 0;  ///< of Weibull's; else 0
};

}  // namespace tandem
