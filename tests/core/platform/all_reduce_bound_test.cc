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

/// Like hosts with a link out and one in, or one for both directions, and a backbone that all
/// share.
class ClusterNetwork final : public HostNetwork {
 public:
  ClusterNetwork(int hosts, bool is_duplex, double own, double backbone)
      : hosts_(hosts), is_duplex_(is_duplex) {
    for (int link = 0; link < 2 * hosts; ++link)
      links_.push_back({.name = "own", .bandwidth = own, .is_shared = true, .burst = 100});
    links_.push_back({.name = "backbone", .bandwidth = backbone, .is_shared = true, .burst = 0});
  }
  int hosts() const override { return hosts_; }
  HostRoute route(int from, int to) override {
    return {.links = {2 * from, 2 * hosts_, 2 * to + (is_duplex_ ? 1 : 0)}, .latency = 0};
  }
  const std::vector<NetworkLink>& links() const override { return links_; }

 private:
  int hosts_;
  bool is_duplex_;
  std::vector<NetworkLink> links_;
};

TEST(AllReduceBound, OfABackboneCountsAllMessages) {
  ClusterNetwork cluster(8, true, 1e9, 2e9);
  const AllReduceBound bound(cluster);
  EXPECT_NEAR(bound.time(kBytes), 2.0 * 7 * kBytes / 2e9, 1e-12);
  EXPECT_EQ(bound.limit(kBytes), "link backbone");
}

TEST(AllReduceBound, OfLikeHostsFollowsFromThree) {
  for (const auto& [is_duplex, backbone] :
       {std::pair(true, 1e12), std::pair(false, 1e12), std::pair(true, 2e9)}) {
    for (const int hosts : {4, 9, 16}) {
      ClusterNetwork all(hosts, is_duplex, 1e9, backbone), few(3, is_duplex, 1e9, backbone);
      const AllReduceBound whole(all), derived = AllReduceBound::of_alike(few, hosts);
      ASSERT_TRUE(derived.is_known());
      EXPECT_NEAR(derived.time(kBytes), whole.time(kBytes), 1e-9 * whole.time(kBytes))
          << is_duplex << " " << backbone << " " << hosts;
    }
  }
  ClusterNetwork few(3, true, 1e9, 1e15);
  EXPECT_EQ(AllReduceBound::of_alike(few, 1000).limit(kBytes), "links own, own, own and 997 more");
}

TEST(AllReduceBound, OfLikeHostsIsUnknownWhereNothingIsShared) {
  OddNetwork islands(false);
  EXPECT_FALSE(AllReduceBound::of_alike(islands, 10).is_known());
}

}  // namespace
}  // namespace tandem
