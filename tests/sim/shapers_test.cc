#include "tests/sim/trains.h"

namespace tandem {
namespace {

/// Shapers let go what waits for them 15 us late: of two messages of a burst each the second takes
/// 100 us to get its tokens, and both sides 20 us.
constexpr const char* kLate =
    "eager_bytes: 10000000\ntrain_bytes: 10000\n"
    "messages:\n"
    "  - {bytes: 10000, latency_s: 20e-6, seconds_per_byte: 0}\n"
    "  - {bytes: 16777216, latency_s: -80e-6, seconds_per_byte: 10e-9}\n"
    "one_way:\n"
    "  - {bytes: 1, seconds: 20e-6, low: 20e-6, high: 20e-6}\n"
    "  - {bytes: 10000, seconds: 20e-6, low: 20e-6, high: 20e-6}\n"
    "pairs: [{bytes: 10000, seconds: 155e-6, low: 155e-6, high: 155e-6}]\n";

TEST(TrainNetwork, AShaperIsLateWithWhatWaitsForIt) {
  const auto arrived = arrivals({{0, 1, 10'000}, {0, 2, 10'000}}, Calibrated(kLate).name());
  EXPECT_NEAR(arrived[0], 20e-6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + 100e-6 + 15e-6, kClose);
}

// The time of one that waits by itself was measured with it; and tokens come meanwhile.
TEST(TrainNetwork, AShaperThatIsLateMakesNoStreamSlower) {
  EXPECT_NEAR(arrivals({{0, 1, 15'000}}, Calibrated(kLate).name())[0], 20e-6 + 50e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 1, 50'000}}, Calibrated(kLate).name())[0], 20e-6 + 400e-6, kClose);
}

/// What messages take where bursts are of 20,000 B, but for those of rank 3's wire.
constexpr const char* kLongBursts =
    "eager_bytes: 10000000\n"
    "messages:\n"
    "  - {bytes: 20000, latency_s: 20e-6, seconds_per_byte: 0}\n"
    "  - {bytes: 16777216, latency_s: -180e-6, seconds_per_byte: 10e-9}\n";

// Trains of 20,000 B, of which the wire of rank 3 lets half through at once: it cuts those that
// come, and its own host sends shorter ones.
TEST(TrainNetwork, AWireOfAShorterBurstThanTrainsCutsThem) {
  const Calibrated longer(std::string("train_bytes: 20000\n") + kLongBursts, {}, "20000");
  EXPECT_NEAR(arrivals({{0, 1, 40'000}}, longer.name())[0], 20e-6 + 200e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 3, 40'000}}, longer.name())[0], 20e-6 + 600e-6, kClose);
  EXPECT_NEAR(arrivals({{3, 0, 40'000}}, longer.name())[0], 20e-6 + 600e-6, kClose);
  // Who comes second waits there for all of a train that is being cut.
  const auto both = arrivals({{0, 3, 20'000}, {1, 3, 1'000, 10e-6}}, longer.name());
  EXPECT_NEAR(both[0], 20e-6 + 200e-6, kClose);
  EXPECT_NEAR(both[1], 20e-6 + 220e-6, kClose);
}

// What was measured passes at once with bursts of 20,000 B, so no lateness is in it; at rank 3, of
// 10,000 B, the second train waits.
TEST(TrainNetwork, AShaperOfASmallerBurstThanTheCalibratedOnesIsLateToo) {
  const Calibrated smaller(
      std::string("train_bytes: 10000\n") + kLongBursts +
          "one_way:\n"
          "  - {bytes: 1, seconds: 20e-6, low: 20e-6, high: 20e-6}\n"
          "  - {bytes: 20000, seconds: 20e-6, low: 20e-6, high: 20e-6}\n"
          "pairs: [{bytes: 20000, seconds: 255e-6, low: 255e-6, high: 255e-6}]\n",
      {}, "20000");
  EXPECT_NEAR(arrivals({{0, 1, 15'000}}, smaller.name())[0], 20e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 3, 15'000}}, smaller.name())[0], 20e-6 + 100e-6 + 15e-6, kClose);
}

}  // namespace
}  // namespace tandem
