#include "core/platform/all_reduce_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
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

/// Links of `links` that a route between two parts crosses at least.
int fewest_crossed(const LinkGraph& graph, const Parts& parts, const std::vector<int>& links) {
  std::vector<bool> is_cut(graph.links().size(), false);
  for (const int link : links) is_cut[link] = true;
  std::vector<int> part_of(graph.hosts());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const int host : parts[part]) part_of[host] = static_cast<int>(part);
  }
  int fewest = std::numeric_limits<int>::max();
  for (int from = 0; from < graph.hosts(); ++from) {
    for (int to = 0; to < graph.hosts(); ++to) {
      if (part_of[from] == part_of[to]) continue;
      const auto crossed =
          std::ranges::count_if(graph.route(from, to), [&](int link) { return is_cut[link]; });
      fewest = std::min(fewest, static_cast<int>(crossed));
    }
  }
  return fewest;
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
  for (const std::vector<int>& links : {out, in, joined(out, in)}) {
    add_cut(graph, messages * fewest_crossed(graph, parts, links), links);
  }
}

void AllReduceBound::add_cut(const LinkGraph& graph, double crossings, std::vector<int> links) {
  Cut cut{.crossings = crossings, .links = std::move(links), .bandwidth = 0, .burst = 0};
  for (const int link : cut.links) {
    cut.bandwidth += graph.links()[link].bandwidth;
    cut.burst += graph.links()[link].burst;
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
  const std::vector<int>& links = limiting(bytes).links;
  std::string text = links.size() == 1 ? "link " : "links ";
  for (std::size_t i = 0; i < std::min(kNamed, links.size()); ++i) {
    text += (i > 0 ? ", " : "") + names_[links[i]];
  }
  if (links.size() > kNamed) text += fmt::format(" and {} more", links.size() - kNamed);
  return text;
}

}  // namespace tandem
