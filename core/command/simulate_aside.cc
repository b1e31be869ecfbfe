#include "core/command/simulate_aside.h"

#include "core/base/error.h"
#include "core/command/simulation.h"
#include "core/command/sweep.h"

namespace tandem {

std::vector<PointResult> simulate_aside(const std::vector<Scenario>& points,
                                        const std::filesystem::path& work) {
  check_simulated(points);
  const Backend backend = simulation_backend();
  SweepOutcome outcome = run_sweep(points, backend,
                                   {.work = work,
                                    .checks = require_room(points, backend, work),
                                    .jobs = std::nullopt,
                                    .tells_warnings = false});
  if (outcome.interrupted) throw RunError("interrupted");
  if (!outcome.failures.empty()) throw RunError(outcome.failures.front().message);
  return outcome.take_results();
}

bool can_be_simulated(const Scenario& point, const std::filesystem::path& work) {
  return simulation_backend().check({point}, work).at(0).error.empty();
}

}  // namespace tandem
