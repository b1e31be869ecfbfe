#include "sim/network_figures.h"

#include <algorithm>
#include <unordered_map>

namespace tandem {
namespace {

LinkFigures figures_of(Fabric& fabric, const Pattern& pattern) {
  std::unordered_map<const simgrid::s4u::Link*, int> flows;
  const auto for_each_path = [&](const auto& visit) {
    for (int rank = 0; rank < fabric.members(); ++rank) {
      if (pattern[rank] != rank) visit(fabric.path(rank, pattern[rank]));
    }
  };
  for_each_path([&](const Path& path) {
    for (const auto* link : path.shared_links) ++flows[link];
  });
  LinkFigures slowest;
  for_each_path([&](const Path& path) {
    double share = path.bandwidth;
    for (const auto* link : path.shared_links) {
      share = std::min(share, link->get_bandwidth() / flows[link]);
    }
    slowest = slowest.slower({path.latency, share});
  });
  return slowest;
}

double adding_bandwidth(int members, const AddingTime& adding_time) {
  constexpr std::size_t kBytes = 1 << 20;
  Seconds slowest = 0;
  for (int rank = 0; rank < members; ++rank) {
    slowest = std::max(slowest, adding_time(rank, kBytes));
  }
  return kBytes / slowest;  // infinite where adding is free
}

}  // namespace

NetworkFigures platform_figures(Fabric& fabric, const AllReduceOptions& options,
                                const AddingTime& adding_time) {
  std::vector<LinkFigures> by_pattern;
  for (const Pattern& pattern : figure_patterns(fabric.members(), options)) {
    by_pattern.push_back(figures_of(fabric, pattern));
  }
  return network_figures(std::move(by_pattern), options,
                         adding_bandwidth(fabric.members(), adding_time));
}

}  // namespace tandem
