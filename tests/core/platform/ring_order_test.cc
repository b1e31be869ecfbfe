// The order of a ring on a network, and the nodes that follow from the network.

#include "core/platform/ring_order.h"

#include <gmock/gmock.h>

#include "core/platform/node_size.h"
#include "tests/core/platform/networks.h"

namespace tandem {
namespace {

using testing::ElementsAre;

TEST(RingOrder, KeepsTheGivenOneOfAStar) {
  TreeNetwork star({0, 0, 0, 0, 0}, 1e9, 1e9);
  EXPECT_THAT(ring_order(star), ElementsAre(0, 1, 2, 3, 4));
}

TEST(RingOrder, CrossesEachUplinkOnceEachWay) {
  TreeNetwork racks({0, 1, 2, 0, 1, 2, 0, 1, 2}, 1e9, 1e9);
  EXPECT_THAT(ring_order(racks), ElementsAre(0, 3, 6, 1, 4, 7, 2, 5, 8));
}

TEST(RingOrder, KeepsAnOrderThatIsAsGood) {
  TreeNetwork racks({1, 1, 0, 0, 2, 2}, 1e9, 1e9);
  EXPECT_THAT(ring_order(racks), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RingOrder, FollowsACircleOfLinks) {
  CircleNetwork circle({0, 3, 1, 5, 2, 4});
  const std::vector<int> order = ring_order(circle);
  EXPECT_THAT(order, testing::AnyOf(ElementsAre(0, 3, 1, 5, 2, 4), ElementsAre(0, 4, 2, 5, 1, 3)));
}

// A part of the ring turned round costs something else there.
TEST(RingOrder, IsFoundWhereLinksDifferEachWay) {
  UnequalStarNetwork star({10e9, 1e9, 2e9, 4e9, 1e9, 10e9}, {10e9, 2e9, 2e9, 1e9, 4e9, 10e9});
  EXPECT_THAT(ring_order(star), testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RingOrder, OrdersManyHostsOfRacks) {
  constexpr int kRacks = 100, kHosts = 1000;
  std::vector<int> racks;
  for (int host = 0; host < kHosts; ++host) racks.push_back(host % kRacks);
  TreeNetwork network(racks, 1e9, 1e9);
  const std::vector<int> order = ring_order(network);
  int changes = 0;
  for (int i = 0; i < kHosts; ++i) {
    changes += racks[order[i]] != racks[order[(i + 1) % kHosts]];
  }
  EXPECT_EQ(changes, kRacks);
}

TEST(NodeSize, IsThatOfTheRunsBetweenSlowSteps) {
  TreeNetwork nodes({0, 0, 0, 1, 1, 1, 2, 2, 2}, 10e9, 1e9);
  EXPECT_EQ(derived_node_size(nodes), 3);
  TreeNetwork smaller_last({0, 0, 0, 1, 1, 1, 2}, 10e9, 1e9);
  EXPECT_EQ(derived_node_size(smaller_last), 3);
}

TEST(NodeSize, IsSeenByLatencyAlone) {
  TreeNetwork racks({0, 0, 1, 1}, 1e9, 1e9, 10e-6);
  EXPECT_EQ(derived_node_size(racks), 2);
}

TEST(NodeSize, IsNoneWhereHostsAreAlikeOrNodesDiffer) {
  TreeNetwork star({0, 0, 0, 0}, 1e9, 1e9);
  EXPECT_EQ(derived_node_size(star), std::nullopt);
  TreeNetwork uneven({0, 0, 1, 1, 1}, 10e9, 1e9);
  EXPECT_EQ(derived_node_size(uneven), std::nullopt);
}

}  // namespace
}  // namespace tandem
