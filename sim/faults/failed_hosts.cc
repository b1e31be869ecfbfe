#include "sim/faults/failed_hosts.h"

#include "core/faults/fewer_workers.h"

namespace tandem {

std::vector<Seconds> iteration_times(const std::vector<MemberResult>& members) {
  std::vector<Seconds> ends;
  double workers = 0;
  for (const MemberResult& member : members) {
    if (member.is_server) continue;
    ends.resize(member.iterations.size(), 0);
    workers += member.count;
    for (std::size_t i = 0; i < ends.size(); ++i)
      ends[i] += member.count * member.iterations[i].end;
  }
  std::vector<Seconds> times;
  Seconds before = 0;
  for (const Seconds end : ends) {
    times.push_back(end / workers - before);
    before = end / workers;
  }
  return times;
}

Scenario segment_scenario(const Scenario& scenario, const TrainingStretch& stretch) {
  Scenario segment =
      with_fewer(scenario, static_cast<int>(stretch.workers.size()), stretch.iterations);
  segment.warmup_iterations = 0;
  segment.evaluate_every.reset();
  segment.chakra = false;
  segment.simulation.depth = Depth::kSizes;
  return segment;
}

Segment segment_of(const Scenario& scenario, const TrainingStretch& stretch) {
  return {.begin = stretch.begin,
          .iteration = stretch.first_iteration,
          .workers = scenario.workers,
          .ranks = stretch.workers};
}

}  // namespace tandem
