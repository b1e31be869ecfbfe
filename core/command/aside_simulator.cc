#include "core/command/aside_simulator.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/command/simulation.h"
#include "core/command/sweep.h"

namespace tandem {

AsideSimulator::AsideSimulator(std::filesystem::path work)
    : backend_(simulation_backend()), work_(std::move(work)) {}

std::vector<PointResult> AsideSimulator::run(const std::vector<Scenario>& points) const {
  check_simulated(points);
  return run(points, require_room(points, backend_, work_));
}

std::optional<PointResult> AsideSimulator::run_if_possible(const Scenario& point) const {
  std::vector<PointCheck> checks = backend_.check({point}, work_);
  if (!checks.at(0).error.empty()) return std::nullopt;
  return run({point}, std::move(checks)).front();
}

std::string AsideSimulator::why_impossible(const Scenario& point) const {
  try {
    check_simulated({point});
  } catch (const InputError& error) {
    return error.what();
  }
  return backend_.check({point}, work_).at(0).error;
}

std::vector<PointResult> AsideSimulator::run(const std::vector<Scenario>& points,
                                             std::vector<PointCheck> checks) const {
  SweepOutcome outcome = run_sweep(
      points, backend_,
      {.work = work_, .checks = std::move(checks), .jobs = std::nullopt, .is_aside = true});
  if (outcome.interrupted) throw Interrupted();
  if (!outcome.failures.empty()) throw RunError(outcome.failures.front().message);
  return outcome.take_results();
}

}  // namespace tandem
