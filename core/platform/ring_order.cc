#include "core/platform/ring_order.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/platform/node_size.h"

namespace tandem {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-9;  ///< relative: sums in another order differ by less

/// The less, the better.
struct RingCost {
  double load = 0;  ///< messages over bandwidth, of the link where it is most
  std::size_t links = 0;
  /// Each message crosses a link of its sender's and one of its receiver's: no ring does better.
  bool is_star = true;

  bool operator<(const RingCost& other) const {
    if (load < other.load * (1 - kSame)) return true;
    return load <= other.load * (1 + kSame) && links < other.links;
  }
};

RingCost cost_of(HostNetwork& network, const std::vector<int>& order) {
  std::unordered_map<int, int> messages;
  RingCost cost;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const HostRoute route = network.route(order[i], order[(i + 1) % order.size()]);
    if (route.links.empty()) cost.load = kInfinite;
    cost.is_star = cost.is_star && route.links.size() == 2;
    cost.links += route.links.size();
    for (const int link : route.links) {
      const NetworkLink& figures = network.links()[link];
      const int crossing = figures.is_shared ? ++messages[link] : 1;
      cost.load = std::max(cost.load, crossing / figures.bandwidth);
      cost.is_star = cost.is_star && crossing == 1;
    }
  }
  return cost;
}

/// The routes to host 0: vertices are hosts, then links, and edges lead away from host 0.
using RouteTree = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

RouteTree tree_to_first(HostNetwork& network) {
  std::map<int, int> vertex_of_link;
  std::vector<std::pair<int, int>> edges;
  std::set<std::pair<int, int>> known;
  const auto vertex = [&](int link) {
    const int next = network.hosts() + static_cast<int>(vertex_of_link.size());
    return vertex_of_link.try_emplace(link, next).first->second;
  };
  std::vector<std::pair<HostRoute, int>> routes;
  for (int host = 1; host < network.hosts(); ++host) {
    routes.emplace_back(network.route(host, 0), host);
  }
  std::ranges::stable_sort(routes, {}, [](const auto& way) { return way.first.links.size(); });
  for (const auto& [route, host] : routes) {  // those next to host 0 first
    int at = 0;
    for (auto link = route.links.rbegin(); link != route.links.rend(); ++link) {
      const int next = vertex(*link);
      if (known.emplace(at, next).second) edges.emplace_back(at, next);
      at = next;
    }
    edges.emplace_back(at, host);
  }
  return {edges.begin(), edges.end(), network.hosts() + vertex_of_link.size()};
}

struct HostCollector : boost::default_dfs_visitor {
  HostCollector(int hosts, std::vector<int>& order) : hosts(hosts), order(order) {}
  void discover_vertex(RouteTree::vertex_descriptor vertex, const RouteTree&) {
    if (static_cast<int>(vertex) < hosts) order.push_back(static_cast<int>(vertex));
  }
  int hosts;
  std::vector<int>& order;
};

std::vector<int> walk_through_tree(HostNetwork& network) {
  const RouteTree tree = tree_to_first(network);
  std::vector<boost::default_color_type> colours(num_vertices(tree));
  std::vector<int> order;
  boost::depth_first_visit(
      tree, 0, HostCollector(network.hosts(), order),
      boost::make_iterator_property_map(colours.begin(), boost::get(boost::vertex_index, tree)));
  return order;
}

/// What a step of a ring costs by itself: its narrowest link's time a byte, then its links.
using StepCosts = std::vector<std::vector<double>>;

StepCosts step_costs(HostNetwork& network) {
  constexpr double kBytes = 1 << 20;
  StepCosts costs(network.hosts(), std::vector<double>(network.hosts(), 0));
  for (int from = 0; from < network.hosts(); ++from) {
    for (int to = 0; to < network.hosts(); ++to) {
      if (from == to) continue;
      const HostRoute route = network.route(from, to);
      if (route.links.empty()) costs[from][to] = kInfinite;
      costs[from][to] +=
          kBytes / network.bandwidth(route) * (1 + 1e-3 * static_cast<double>(route.links.size()));
    }
  }
  // The same both ways, so that a part of a ring costs what it does turned round.
  for (int a = 0; a < network.hosts(); ++a) {
    for (int b = 0; b < a; ++b) costs[a][b] = costs[b][a] = std::max(costs[a][b], costs[b][a]);
  }
  return costs;
}

/// From host 0 always to the nearest that is left.
std::vector<int> nearest_next(const StepCosts& costs) {
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto nearest =
        std::ranges::min_element(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                                 {}, [&](int host) { return costs[order[i]][host]; });
    std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, nearest);
  }
  return order;
}

/// Turns parts of the ring round as long as that makes it shorter. Host order[0] stays first.
std::vector<int> exchanged(const StepCosts& costs, std::vector<int> order) {
  const int hosts = static_cast<int>(order.size());
  const auto step = [&](int i, int k) { return costs[order[i]][order[k % hosts]]; };
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (int i = 0; i + 2 < hosts; ++i) {
      for (int k = i + 2; k < hosts; ++k) {
        const double now = step(i, i + 1) + step(k, k + 1);
        if (step(i, k) + step(i + 1, k + 1) >= now * (1 - kSame)) continue;
        std::reverse(order.begin() + i + 1, order.begin() + k + 1);
        shorter = true;
      }
    }
  }
  return order;
}

/// The same ring from behind its slowest step on, so that its first hosts are a whole node.
std::vector<int> begun_at_a_node(HostNetwork& network, std::vector<int> order) {
  auto first = order.begin();
  Seconds slowest = message_time(network, order.back(), order.front());
  for (auto host = order.begin(); host + 1 != order.end(); ++host) {
    const Seconds time = message_time(network, *host, *(host + 1));
    if (time <= slowest * (1 + kSame)) continue;
    slowest = time;
    first = host + 1;
  }
  std::ranges::rotate(order, first);
  return order;
}

}  // namespace

std::vector<int> ring_order(HostNetwork& network) {
  std::vector<int> best(network.hosts());
  std::iota(best.begin(), best.end(), 0);
  RingCost least = cost_of(network, best);
  if (network.hosts() <= 2 || least.is_star) return best;
  const auto consider = [&](const std::vector<int>& order) {
    if (static_cast<int>(order.size()) != network.hosts()) return;  // some are not connected
    const RingCost cost = cost_of(network, order);
    if (!(cost < least)) return;
    least = cost;
    best = order;
  };
  const std::vector<int> declared = best;
  const std::vector<int> walk = walk_through_tree(network);
  consider(walk);
  if (network.hosts() <= kImprovedHosts) {
    const StepCosts costs = step_costs(network);
    consider(exchanged(costs, declared));
    consider(exchanged(costs, walk));
    consider(exchanged(costs, nearest_next(costs)));
  }
  return best == declared ? declared : begun_at_a_node(network, best);
}

}  // namespace tandem
