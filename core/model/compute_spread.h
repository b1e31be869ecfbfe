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

  /// The distribution of `seconds` of like iterations, three or more.
  static ComputeSpread of(std::vector<double> seconds);

  bool empty() const { return quantiles_.empty(); }
  const std::vector<double>& quantiles() const { return quantiles_; }
  /// The factor of one iteration: between quantiles, equally likely. 1 where empty.
  double draw(RandomStream& random) const;

 private:
  std::vector<double> quantiles_;
};

}  // namespace tandem
