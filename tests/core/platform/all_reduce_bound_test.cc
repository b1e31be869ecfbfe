// The lower bound of all-reduces, against closed forms.

#include "core/platform/all_reduce_bound.h"

#include <gmock/gmock.h>

#include "tests/core/platform/networks.h"

namespace tandem {
namespace {

constexpr double kBytes = 1e8;

TEST(AllReduceBound, OfAStarIsTheRings) {
  TreeNetwork star({0, 0, 0, 0, 0, 0, 0, 0}, 1e9, 1e9);
  const AllReduceBound bound(star);
  ASSERT_TRUE(bound.is_known());
  EXPECT_NEAR(bound.time(kBytes), 2.0 * 7 / 8 * kBytes / 1e9, 1e-12);
}

TEST(AllReduceBound, OfNodesIsThatOfTheirUplinks) {
  TreeNetwork nodes({0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, 100e9, 1e9);
  const AllReduceBound bound(nodes);
  EXPECT_NEAR(bound.time(kBytes), 2.0 * 2 / 3 * kBytes / 1e9, 1e-12);
  EXPECT_THAT(bound.limit(kBytes), testing::HasSubstr("link-"));
}

TEST(AllReduceBound, CountsALinkThatBothDirectionsShareOnce) {
  CircleNetwork circle(
      {0, 1, 2, 3});  // each of 6 messages a byte crosses a link of 1 GB/s at least
  const AllReduceBound bound(circle);
  EXPECT_NEAR(bound.time(kBytes), 6 * kBytes / 4e9, 1e-12);
}

/// A network whose links each message has to itself, or that lacks a route.
class OddNetwork final : public HostNetwork {
 public:
  explicit OddNetwork(bool is_connected) : is_connected_(is_connected) {}
  int hosts() const override { return 2; }
  HostRoute route(int from, int) override {
    return is_connected_ || from == 0 ? HostRoute{.links = {0}, .latency = 0} : HostRoute{};
  }
  const std::vector<NetworkLink>& links() const override { return links_; }

 private:
  bool is_connected_;
  std::vector<NetworkLink> links_ = {
      {.name = "pipe", .bandwidth = 1e9, .is_shared = false, .burst = 0}};
};

TEST(AllReduceBound, IsUnknownWhereNothingIsSharedOrConnected) {
  OddNetwork pipe(true);
  EXPECT_FALSE(AllReduceBound(pipe).is_known());
  OddNetwork islands(false);
  EXPECT_FALSE(AllReduceBound(islands).is_known());
}

}  // namespace
}  // namespace tandem
