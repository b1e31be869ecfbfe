#include "core/platform/node_size.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tandem {
namespace {

constexpr double kSameTime = 1 + 1e-9;  ///< sums in another order differ by less

/// Nodes end at steps of more than `longest`.
std::vector<int> sizes_between(const std::vector<Seconds>& steps, Seconds longest) {
  std::vector<int> sizes = {1};
  for (const Seconds step : steps) {
    if (step > longest) sizes.push_back(0);
    ++sizes.back();
  }
  return sizes;
}

}  // namespace

Seconds message_time(HostNetwork& network, int from, int to) {
  constexpr double kBytes = 1 << 20;
  const HostRoute route = network.route(from, to);
  if (route.links.empty()) return std::numeric_limits<double>::infinity();
  return route.latency + kBytes / network.bandwidth(route);
}

std::vector<Seconds> neighbour_times(HostNetwork& network) {
  std::vector<Seconds> times;
  for (int host = 0; host + 1 < network.hosts(); ++host) {
    times.push_back(message_time(network, host, host + 1));
  }
  return times;
}

std::optional<int> derived_node_size(HostNetwork& network) {
  const std::vector<Seconds> steps = neighbour_times(network);
  std::vector<Seconds> levels = steps;
  std::ranges::sort(levels);
  struct Gap {
    double ratio;
    Seconds below;
  };
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    if (levels[i + 1] > levels[i] * kSameTime)
      gaps.push_back({levels[i + 1] / levels[i], levels[i]});
  }
  std::ranges::stable_sort(gaps, std::greater<>(), &Gap::ratio);
  for (const Gap& gap : gaps) {
    if (const auto size = common_size(sizes_between(steps, gap.below * kSameTime))) return size;
  }
  return std::nullopt;
}

std::optional<int> common_size(const std::vector<int>& node_sizes) {
  const int size = node_sizes.front();
  const bool alike = std::all_of(node_sizes.begin(), node_sizes.end() - 1,
                                 [&](int other) { return other == size; });
  return alike && node_sizes.back() <= size ? std::optional(size) : std::nullopt;
}

}  // namespace tandem
