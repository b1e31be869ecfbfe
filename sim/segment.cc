#include "sim/segment.h"

#include <algorithm>
#include <numeric>

namespace tandem {

std::uint64_t segment_seed(const Scenario& scenario, const Segment& segment) {
  constexpr std::uint64_t kApart = 1'000'003;  // of seeds in a row
  return scenario.seed + kApart * static_cast<std::uint64_t>(segment.iteration);
}

FaultWindow in_segment(FaultWindow window, const Segment& segment) {
  const double by = window.in_iterations ? segment.iteration : segment.begin;
  window.from = std::max(0.0, window.from - by);
  window.until -= by;
  return window;
}

Scenario whole_job(Scenario scenario, const Segment& segment) {
  if (segment.workers > 0) scenario.workers = segment.workers;
  return scenario;
}

std::vector<int> original_ranks(const Scenario& scenario, const Segment& segment) {
  std::vector<int> ranks = segment.ranks;
  if (ranks.empty()) {
    ranks.resize(scenario.workers);
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  const int workers = whole_job(scenario, segment).workers;
  for (int server = 0; server < scenario.algorithm.servers(); ++server)
    ranks.push_back(workers + server);
  return ranks;
}

}  // namespace tandem
