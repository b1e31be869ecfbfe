#include "core/platform/wiring.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/core/platform/networks.h"

namespace tandem {
namespace {

/// Routes as they are given.
class ListedNetwork final : public HostNetwork {
 public:
  ListedNetwork(int hosts, std::map<std::pair<int, int>, std::vector<int>> routes)
      : hosts_(hosts), routes_(std::move(routes)) {
    for (const auto& [pair, route] : routes_) {
      for (const int link : route)
        links_.resize(std::max<std::size_t>(links_.size(), static_cast<unsigned>(link) + 1));
    }
  }

  int hosts() const override { return hosts_; }
  const std::vector<NetworkLink>& links() const override { return links_; }
  HostRoute route(int from, int to) override { return {.links = routes_[{from, to}]}; }

 private:
  int hosts_;
  std::map<std::pair<int, int>, std::vector<int>> routes_;
  std::vector<NetworkLink> links_;
};

Wiring wiring_of(HostNetwork& network) {
  return wiring(network, wiring_pairs(network.hosts()));
}

/// Of the link of that name.
Wiring::Link link(const HostNetwork& network, const Wiring& wired, const std::string& name) {
  for (std::size_t i = 0; i < wired.links.size(); ++i)
    if (network.links()[i].name == name) return wired.links[i];
  ADD_FAILURE() << "no link " << name;
  return {};
}

TEST(Wiring, OfAStarIsOneSwitch) {
  TreeNetwork star({0, 0, 0, 0}, 1e9, 0);
  const Wiring wired = wiring_of(star);
  EXPECT_EQ(wired.meeting_places, 1);
  for (int host = 0; host < 4; ++host) {
    const Wiring::Link up = link(star, wired, "up-" + std::to_string(host));
    const Wiring::Link down = link(star, wired, "down-" + std::to_string(host));
    EXPECT_EQ(std::pair(up.from, up.to), std::pair(host, 4));
    EXPECT_EQ(std::pair(down.from, down.to), std::pair(4, host));
  }
}

// No message comes back from the switch to where it came from.
TEST(Wiring, OfTwoHostsIsOneSwitchToo) {
  TreeNetwork star({0, 0}, 1e9, 0);
  EXPECT_EQ(wiring_of(star).meeting_places, 1);
  TreeNetwork tree({0, 0, 1}, 1e9, 1e9);
  EXPECT_EQ(wiring_of(tree).meeting_places, 3);
}

TEST(Wiring, OfRacksIsASwitchARackAndOneAbove) {
  TreeNetwork tree({0, 0, 1, 1, 2, 2}, 1e9, 1e9);
  const Wiring wired = wiring_of(tree);
  EXPECT_EQ(wired.meeting_places, 4);
  EXPECT_EQ(link(tree, wired, "up-0").to, link(tree, wired, "uplink-0").from);
  EXPECT_EQ(link(tree, wired, "uplink-0").to, link(tree, wired, "downlink-2").from);
  EXPECT_NE(link(tree, wired, "up-0").to, link(tree, wired, "up-2").to);
}

// The same links both ways, and one in the middle that each crosses in the direction it likes.
TEST(Wiring, OfABackboneIsABus) {
  std::map<std::pair<int, int>, std::vector<int>> routes;
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to)
      if (from != to) routes[{from, to}] = {from, 3, to};
  ListedNetwork network(3, routes);
  const Wiring wired = wiring_of(network);
  EXPECT_EQ(wired.meeting_places, 1);
  EXPECT_EQ(std::pair(wired.links[3].from, wired.links[3].to), std::pair(3, 3));
  for (int host = 0; host < 3; ++host)
    EXPECT_EQ(std::minmax({wired.links[host].from, wired.links[host].to}), std::pair(host, 3));
}

// A bandwidth each way to the one in the middle, and back from it.
TEST(Wiring, OfABackboneBetweenTwoWayLinksIsABusToo) {
  std::map<std::pair<int, int>, std::vector<int>> routes;
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to)
      if (from != to) routes[{from, to}] = {from, 6, 3 + to};
  ListedNetwork network(3, routes);
  const Wiring wired = wiring_of(network);
  EXPECT_EQ(wired.meeting_places, 1);
  EXPECT_EQ(wired.links[6].from, wired.links[6].to);
}

// As in a rail_pod: 0 and 1 are on a switch, from which 0 also takes the way out that 1 has.
TEST(Wiring, OfALinkThatOthersEnterTooIsItsHosts) {
  ListedNetwork network(
      3, {{{0, 1}, {0, 3}}, {{1, 0}, {1, 2}}, {{0, 2}, {0, 4, 5}}, {{1, 2}, {4, 5}}});
  const Wiring wired = wiring_of(network);
  EXPECT_EQ(wired.links[4].from, 1);
  EXPECT_EQ(wired.links[5].to, 2);
  EXPECT_EQ(wired.links[0].from, 0);
  EXPECT_EQ(wired.links[0].to, wired.links[3].from);
  EXPECT_GE(wired.links[0].to, 3);
}

TEST(Wiring, OfDirectLinksHasNoSwitch) {
  // 0 -a- 1 -b- 2, and messages between 0 and 2 pass 1.
  ListedNetwork network(3, {{{0, 1}, {0}},
                            {{1, 0}, {0}},
                            {{1, 2}, {1}},
                            {{2, 1}, {1}},
                            {{0, 2}, {0, 1}},
                            {{2, 0}, {1, 0}}});
  const Wiring wired = wiring_of(network);
  EXPECT_EQ(wired.meeting_places, 0);
  EXPECT_EQ(std::pair(wired.links[0].from, wired.links[0].to), std::pair(0, 1));
  EXPECT_EQ(std::pair(wired.links[1].from, wired.links[1].to), std::pair(1, 2));
}

TEST(Wiring, OfManyHostsTakesSomeRoutes) {
  EXPECT_EQ(wiring_pairs(4).size(), 12U);
  const int hosts = 1024;
  EXPECT_LT(wiring_pairs(hosts).size(), 80U * hosts);
  std::vector<int> racks;
  for (int host = 0; host < hosts; ++host) racks.push_back(host / 16);
  TreeNetwork tree(racks, 1e9, 1e9);
  EXPECT_EQ(wiring_of(tree).meeting_places, hosts / 16 + 1);
}

}  // namespace
}  // namespace tandem
