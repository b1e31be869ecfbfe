#include "core/training/loss_scaler.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

/// The scale after each step; '.' is a good step, '!' an overflow.
std::vector<double> scales(const LossScaleSpec& spec, const std::string& steps) {
  LossScaler scaler(spec);
  std::vector<double> scales;
  for (const char step : steps) {
    scaler.update(step == '!');
    scales.push_back(scaler.scale());
  }
  return scales;
}

TEST(LossScaler, DoublesAfterAWindowWithoutOverflow) {
  EXPECT_EQ(scales({.initial = 8, .window = 3, .hysteresis = 1, .minimum = 1}, "......"),
            (std::vector<double>{8, 8, 16, 16, 16, 32}));
}

TEST(LossScaler, HalvesAtAnOverflowAndStartsTheWindowAgain) {
  EXPECT_EQ(scales({.initial = 8, .window = 3, .hysteresis = 1, .minimum = 1}, "..!..."),
            (std::vector<double>{8, 8, 4, 4, 4, 8}));
}

TEST(LossScaler, LetsHysteresisMinusOneOverflowsPass) {
  EXPECT_EQ(scales({.initial = 8, .window = 2, .hysteresis = 3, .minimum = 1}, "!!!!"),
            (std::vector<double>{8, 8, 4, 2}));
  // A scale that grew is as patient as the first.
  EXPECT_EQ(scales({.initial = 8, .window = 2, .hysteresis = 2, .minimum = 1}, "!!..!!"),
            (std::vector<double>{8, 4, 4, 8, 8, 4}));
}

TEST(LossScaler, StaysAtItsMinimum) {
  EXPECT_EQ(scales({.initial = 4, .window = 9, .hysteresis = 1, .minimum = 2}, "!!!"),
            (std::vector<double>{2, 2, 2}));
}

}  // namespace
}  // namespace tandem
