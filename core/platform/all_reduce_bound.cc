#include "core/platform/all_reduce_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/platform/node_size.h"

namespace tandem {
namespace {

using Hosts = std::vector<int>;
using Parts = std::vector<Hosts>;

/// So many of the longest steps are tried as borders, and up to so many hosts all minimum cuts.
constexpr std::size_t kMostLevels = 8;
constexpr int kMostSides = 32;

Hosts all_but(const Hosts& part, int hosts) {
  Hosts others;
  for (int host = 0; host < hosts; ++host) {
    if (!std::ranges::binary_search(part, host)) others.push_back(host);
  }
  return others;
}

Hosts joined(const Hosts& a, const Hosts& b) {
  Hosts both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

/// Runs of consecutive hosts between steps of more than `longest`.
Parts runs(const std::vector<Seconds>& steps, Seconds longest) {
  Parts parts = {{0}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > longest) parts.emplace_back();
    parts.back().push_back(static_cast<int>(i) + 1);
  }
  return parts;
}

/// Ways to part the hosts; none twice.
std::set<Parts> partitions(HostNetwork& network, const LinkGraph& graph) {
  const int hosts = network.hosts();
  std::set<Parts> all;
  const std::vector<Seconds> steps = neighbour_times(network);
  std::set<Seconds, std::greater<>> levels(steps.begin(), steps.end());
  levels.insert(0);  // each by itself
  for (const Seconds level : levels) {
    if (all.size() == kMostLevels) break;
    all.insert(runs(steps, level));
  }
  all.insert(runs(steps, 0));
  std::vector<Hosts> sides(1, Hosts(hosts / 2));
  std::iota(sides[0].begin(), sides[0].end(), 0);
  for (int host = 1; host < hosts && hosts <= kMostSides; ++host) {
    sides.push_back(graph.narrow_side(0, host));
    sides.push_back(graph.narrow_side(host, 0));
  }
  for (const Hosts& side : sides) all.insert({side, all_but(side, hosts)});
  std::erase_if(all, [](const Parts& parts) { return parts.size() < 2; });
  return all;
}

/// By host, the part that it is of.
std::vector<int> part_numbers(const Parts& parts, int hosts) {
  std::vector<int> numbers(hosts);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const int host : parts[part]) numbers[host] = static_cast<int>(part);
  }
  return numbers;
}

std::vector<std::pair<int, int>> pairs_between(const Parts& parts, int hosts) {
  const std::vector<int> part_of = part_numbers(parts, hosts);
  std::vector<std::pair<int, int>> pairs;
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to) {
      if (part_of[from] != part_of[to]) pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

/// Links of `links` that a route between two parts crosses at least.
int fewest_crossed(const LinkGraph& graph, const Parts& parts, const std::vector<int>& links) {
  std::vector<bool> is_cut(graph.links().size(), false);
  for (const int link : links) is_cut[link] = true;
  int fewest = std::numeric_limits<int>::max();
  for (const auto& [from, to] : pairs_between(parts, graph.hosts())) {
    const auto crossed =
        std::ranges::count_if(graph.route(from, to), [&](int link) { return is_cut[link]; });
    fewest = std::min(fewest, static_cast<int>(crossed));
  }
  return fewest;
}

Parts singles(int hosts) {
  Parts parts;
  for (int host = 0; host < hosts; ++host) parts.push_back({host});
  return parts;
}

/// Of hosts that are all alike: the links that each host has one of, kind by kind, and by itself
/// each that all share. Those of a kind are crossed by as many ways, and come at the same place.
std::vector<std::vector<int>> links_by_kind(const LinkGraph& graph) {
  struct Kind {
    std::size_t ways = 0, place = std::numeric_limits<std::size_t>::max();
    auto operator<=>(const Kind&) const = default;
  };
  std::vector<Kind> kinds(graph.links().size());
  for (const auto& [from, to] : pairs_between(singles(graph.hosts()), graph.hosts())) {
    const std::vector<int>& route = graph.route(from, to);
    for (std::size_t place = 0; place < route.size(); ++place) {
      Kind& kind = kinds[route[place]];
      kind = {.ways = kind.ways + 1, .place = std::min(kind.place, place)};
    }
  }
  std::map<Kind, std::vector<int>> links;
  for (std::size_t link = 0; link < kinds.size(); ++link)
    links[kinds[link]].push_back(static_cast<int>(link));
  std::vector<std::vector<int>> all;
  for (auto& [kind, some] : links) all.push_back(std::move(some));
  return all;
}

}  // namespace

AllReduceBound::AllReduceBound(HostNetwork& network) {
  const LinkGraph graph(network);
  if (!graph.is_connected()) return;
  for (const NetworkLink& link : graph.links()) names_.push_back(link.name);
  for (const Parts& parts : partitions(network, graph)) add_parts(graph, parts);
}

void AllReduceBound::add_parts(const LinkGraph& graph, const Parts& parts) {
  std::vector<int> out, in;
  for (const Hosts& part : parts) {
    const Hosts others = all_but(part, graph.hosts());
    const std::vector<int> part_out = graph.minimum_cut(part, others);
    const std::vector<int> part_in = graph.minimum_cut(others, part);
    if (part_out.empty() || part_in.empty()) return;
    // What the others need of this part, and what it needs of them.
    add_cut(graph, 1, part_out);
    add_cut(graph, 1, part_in);
    out = joined(out, part_out);
    in = joined(in, part_in);
  }
  const double messages = 2.0 * static_cast<double>(parts.size() - 1);
  const std::vector<int> between = graph.minimum_cut(pairs_between(parts, graph.hosts()));
  for (const std::vector<int>& links : {between, out, in, joined(out, in)}) {
    add_cut(graph, messages * fewest_crossed(graph, parts, links), links);
  }
}

AllReduceBound AllReduceBound::of_alike(HostNetwork& network, int hosts) {
  AllReduceBound bound;
  const LinkGraph graph(network);
  if (!graph.is_connected()) return bound;
  for (const NetworkLink& link : graph.links()) bound.names_.push_back(link.name);
  const double messages = 2.0 * (hosts - 1);
  const double each = static_cast<double>(hosts) / graph.hosts();
  for (const std::vector<int>& links : links_by_kind(graph)) {
    if (!graph.links()[links.front()].is_shared) continue;
    const bool is_of_each = links.size() > 1;
    bound.add_cut(graph, messages * fewest_crossed(graph, singles(graph.hosts()), links), links,
                  is_of_each ? each : 1);
  }
  return bound;
}

AllReduceBound AllReduceBound::of_topology(const Topology& topology, int hosts,
                                           double bandwidth_factor) {
  AllReduceBound bound;
  for (const TopologyParts& parts : topology_parts(topology)) {
    const int count = (hosts + parts.hosts - 1) / parts.hosts;
    if (count < 2) continue;
    bound.cuts_.push_back({.crossings = 2.0 * (count - 1),
                           .count = static_cast<std::size_t>(count),
                           .links = {},
                           .bandwidth = count * parts.bandwidth * bandwidth_factor,
                           .burst = 0,
                           .description = fmt::format("links out of {} {}", count, parts.name)});
  }
  return bound;
}

void AllReduceBound::add_cut(const LinkGraph& graph, double crossings, std::vector<int> links,
                             double each) {
  Cut cut{.crossings = crossings,
          .count = static_cast<std::size_t>(std::lround(static_cast<double>(links.size()) * each)),
          .links = std::move(links),
          .bandwidth = 0,
          .burst = 0};
  for (const int link : cut.links) {
    cut.bandwidth += graph.links()[link].bandwidth * each;
    cut.burst += graph.links()[link].burst * each;
  }
  cuts_.push_back(std::move(cut));
}

// A link that is full from a rest on passes its burst besides.
Seconds AllReduceBound::Cut::time(double bytes) const {
  return std::max(0.0, crossings * bytes - burst) / bandwidth;
}

const AllReduceBound::Cut& AllReduceBound::limiting(double bytes) const {
  return *std::ranges::max_element(cuts_, {}, [&](const Cut& cut) { return cut.time(bytes); });
}

Seconds AllReduceBound::time(double bytes) const {
  return limiting(bytes).time(bytes);
}

std::string AllReduceBound::limit(double bytes) const {
  constexpr std::size_t kNamed = 4;
  const Cut& cut = limiting(bytes);
  if (!cut.description.empty()) return cut.description;
  const std::size_t named = std::min(kNamed, cut.links.size());
  std::string text = cut.count == 1 ? "link " : "links ";
  for (std::size_t i = 0; i < named; ++i) text += (i > 0 ? ", " : "") + names_[cut.links[i]];
  if (cut.count > named) text += fmt::format(" and {} more", cut.count - named);
  return text;
}

}  // namespace tandem
