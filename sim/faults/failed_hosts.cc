#include "sim/faults/failed_hosts.h"

#include <algorithm>

namespace tandem {
namespace {

/// Whether two members are on one host, or one on that of a name.
bool is_on(const Scenario& scenario, const nlohmann::json& names, const FaultTarget& target,
           int rank) {
  if (target.host) return names.at(rank) == *target.host;
  const std::vector<int> hosts = scenario.hosts();
  return *target.rank < scenario.members() && hosts[rank] == hosts[*target.rank];
}

}  // namespace

std::vector<Failure> failures_of(const Scenario& scenario, const PointResult& run) {
  const nlohmann::json names = run.environment.value("hosts", nlohmann::json::array());
  std::vector<Failure> failures;
  for (const FailSpec& fail : scenario.faults.fail) {
    Failure failure{.label = fail.target.label(),
                    .at = fail.at,
                    .back = fail.back.value_or(kForever),
                    .workers = {},
                    .has_server = false};
    for (int rank = 0; rank < scenario.members(); ++rank) {
      if (!is_on(scenario, names, fail.target, rank)) continue;
      if (rank < scenario.workers) failure.workers.push_back(rank);
      if (rank >= scenario.workers) failure.has_server = true;
    }
    failures.push_back(std::move(failure));
  }
  return failures;
}

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

Scenario segment_scenario(Scenario scenario, const TrainingStretch& stretch) {
  if (scenario.algorithm.name == "pipeline") scenario.algorithm.stages = scenario.stages();
  scenario.workers = static_cast<int>(stretch.workers.size());
  scenario.algorithm.backup_workers =
      std::min(scenario.algorithm.backup_workers, scenario.workers - 1);
  scenario.iterations = stretch.iterations;
  scenario.epochs.reset();
  scenario.warmup_iterations = 0;
  scenario.evaluate_every.reset();
  scenario.chakra = false;
  scenario.simulation.depth = Depth::kSizes;
  return scenario;
}

Segment segment_of(const Scenario& scenario, const TrainingStretch& stretch) {
  return {.begin = stretch.begin,
          .iteration = stretch.first_iteration,
          .workers = scenario.workers,
          .ranks = stretch.workers};
}

nlohmann::json describe(const FailedJob& job) {
  nlohmann::json events = nlohmann::json::array();
  for (const JobEvent& event : job.events)
    events.push_back({{"seconds", event.at}, {"event", event.what}, {"workers", event.workers}});
  return events;
}

}  // namespace tandem
