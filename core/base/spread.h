#pragma once

#include <array>
#include <vector>

#include "core/base/random.h"

namespace tandem {

/// How what should be alike differs in length, as a factor: iterations of one device, or messages
/// of one size. Members that wait for each other wait for the slowest, so that their iterations are
/// longer than any one's alone.
class Spread {
 public:
  /// All are alike.
  Spread() = default;
  /// Quantiles at equal distances, from the least to the most: 2 or more, ascending, above 0.
  explicit Spread(std::vector<double> quantiles) : quantiles_(std::move(quantiles)) {}

  /// Log-normal of mean 1 whose logarithm has the standard deviation `sigma`, above 0.
  static Spread log_normal(double sigma);
  /// Log-normal of median 1, by how many times the one quartile is the other: above 1.
  static Spread log_normal_of_quartiles(double ratio);
  /// Weibull's of mean 1 with the shape k, above 0.
  static Spread weibull(double shape);

  /// The distribution of `seconds` of like iterations, three or more, in units of their median.
  static Spread of(std::vector<double> seconds);

  bool empty() const { return quantiles_.empty() && sigma_ == 0 && shape_ == 0; }
  const std::vector<double>& quantiles() const { return quantiles_; }
  /// One factor, by inversion of the distribution; between quantiles all are equally likely. 1
  /// where empty.
  double draw(RandomStream& random) const;
  /// The factor below which `share`, in [0, 1), of them are. Requires quantiles.
  double at(double share) const;

 private:
  std::vector<double> quantiles_;
  double sigma_ = 0;  ///< of a log-normal distribution; else 0
  double mu_ = 0;     ///< of that: the logarithm of its median
  double shape_ = 0;  ///< of Weibull's; else 0
};

/// Shares in [0, 1), of the first ten one in each tenth, in random order, and so of the next ten:
/// few iterations have all of a distribution in them, and their median is near its own (stratified
/// sampling; Cochran, Sampling Techniques, 1977, chapter 5).
class EvenShares {
 public:
  double next(RandomStream& random);

 private:
  static constexpr int kStrata = 10;

  std::array<int, kStrata> order_ = {};
  int given_ = kStrata;  ///< of order_
};

}  // namespace tandem
