#include "core/base/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/median.h"

namespace tandem {
namespace {

TEST(Spread, WithoutQuantilesHasIterationsAlike) {
  RandomStream random(1);
  EXPECT_EQ(Spread().draw(random), 1);
}

TEST(Spread, IsInUnitsOfTheMedian) {
  std::vector<double> seconds(101);
  std::iota(seconds.begin(), seconds.end(), 50.0);  // 50 to 150
  const Spread spread = Spread::of(seconds);
  EXPECT_DOUBLE_EQ(spread.quantiles().front(), 0.5);
  EXPECT_DOUBLE_EQ(spread.quantiles()[10], 1);
  EXPECT_DOUBLE_EQ(spread.quantiles().back(), 1.5);
}

// Of two that wait for each other, uniform over [0.5, 1.5], the slower takes 1.5 - 1/3.
TEST(Spread, MakesTheSlowerOfTwoSlowerThanOne) {
  const Spread spread({0.5, 0.75, 1, 1.25, 1.5});
  constexpr int kDraws = 20'000;
  RandomStream first(1, 0), second(1, 1);
  double one = 0, slower = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double a = spread.draw(first), b = spread.draw(second);
    one += a / kDraws;
    slower += std::max(a, b) / kDraws;
  }
  EXPECT_NEAR(one, 1, 0.01);
  EXPECT_NEAR(slower, 1.5 - 1.0 / 3, 0.01);
}

TEST(EvenShares, AreInEachTenthOnce) {
  RandomStream random(1);
  EvenShares shares;
  for (int ten = 0; ten < 5; ++ten) {
    std::vector<int> tenths;
    for (int i = 0; i < 10; ++i) tenths.push_back(static_cast<int>(10 * shares.next(random)));
    std::ranges::sort(tenths);
    EXPECT_EQ(tenths, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
}

// Members draw by themselves: the slower of two that wait for each other is as slow as before.
TEST(EvenShares, OfTwoAreIndependent) {
  RandomStream random(1, 0), other(1, 1);
  EvenShares first, second;
  constexpr int kDraws = 20'000;
  double larger = 0, products = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double a = first.next(random), b = second.next(other);
    larger += std::max(a, b) / kDraws;
    products += (a - 0.5) * (b - 0.5) / kDraws;
  }
  EXPECT_NEAR(larger, 2.0 / 3, 0.01);
  EXPECT_NEAR(products, 0, 0.002);
}

TEST(EvenShares, HaveTheMedianOfTheDistributionInTwenty) {
  const Spread spread({0.5, 0.9, 1, 1.4, 3});
  double squares = 0, even_squares = 0;
  constexpr int kRuns = 500;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(2, run), other(3, run);
    EvenShares shares;
    std::vector<double> draws(20), even(20);
    for (double& draw : draws) draw = spread.draw(random);
    for (double& draw : even) draw = spread.at(shares.next(other));
    squares += std::pow(median(draws) - 1, 2);
    even_squares += std::pow(median(even) - 1, 2);
  }
  EXPECT_LT(even_squares, squares / 4);
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const Spread& spread) {
  constexpr int kDraws = 100'000;
  RandomStream random(7);
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = spread.draw(random);
    EXPECT_GT(draw, 0);
    sum += draw;
    squares += draw * draw;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

// The variance of a log-normal number of mean 1 is exp(sigma^2) - 1.
TEST(Spread, LogNormalHasMeanOneAndItsDeviation) {
  const Moments moments = moments_of(Spread::log_normal(0.5));
  EXPECT_NEAR(moments.mean, 1, 0.01);
  EXPECT_NEAR(moments.deviation, std::sqrt(std::exp(0.25) - 1), 0.02);
}

// Of a normal number the quartiles are 0.67449 deviations from the median.
TEST(Spread, LogNormalHasItsQuartiles) {
  const Spread spread = Spread::log_normal_of_quartiles(1.5);
  constexpr int kDraws = 100'001;
  RandomStream random(7);
  std::vector<double> draws(kDraws);
  for (double& draw : draws) draw = spread.draw(random);
  std::ranges::sort(draws);
  EXPECT_NEAR(draws[kDraws / 2], 1, 0.01);
  EXPECT_NEAR(draws[3 * (kDraws / 4)] / draws[kDraws / 4], 1.5, 0.01);
  EXPECT_NEAR(std::log(draws[3 * (kDraws / 4)] / draws[kDraws / 2]), std::log(1.5) / 2, 0.01);
}

// That of Weibull's is Gamma(1+2/k) / Gamma(1+1/k)^2 - 1; with k = 1, the exponential, 1.
TEST(Spread, WeibullHasMeanOneAndItsDeviation) {
  EXPECT_NEAR(moments_of(Spread::weibull(1)).deviation, 1, 0.02);
  const Moments moments = moments_of(Spread::weibull(3));
  EXPECT_NEAR(moments.mean, 1, 0.01);
  EXPECT_NEAR(moments.deviation,
              std::sqrt(std::tgamma(1 + 2.0 / 3) / std::pow(std::tgamma(1 + 1.0 / 3), 2) - 1),
              0.01);
}

}  // namespace
}  // namespace tandem
