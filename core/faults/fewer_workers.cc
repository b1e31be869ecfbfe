#include "core/faults/fewer_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem {

Scenario with_fewer(Scenario scenario, int workers, int iterations) {
  if (scenario.algorithm.name == "pipeline") scenario.algorithm.stages = scenario.stages();
  scenario.workers = workers;
  scenario.algorithm.backup_workers = std::min(scenario.algorithm.backup_workers, workers - 1);
  scenario.iterations = iterations;
  scenario.epochs.reset();
  return scenario;
}

int iterations_of_fewer(double left, int workers, int all) {
  constexpr double kRounding = 1e-9;  // of sums of shares
  const double share = static_cast<double>(workers) / all;
  return static_cast<int>(std::ceil(left / share - kRounding));
}

int whole_groups(int there, int group) {
  return there / group * group;
}

std::optional<std::string> too_few_for(int there, int group, const RecoverySpec& recovery) {
  if (there >= std::max(recovery.min_workers, group)) return std::nullopt;
  return group > recovery.min_workers
             ? fmt::format("the {} stages of a pipeline", group)
             : fmt::format("faults.recovery.min_workers, which is {}", recovery.min_workers);
}

}  // namespace tandem
