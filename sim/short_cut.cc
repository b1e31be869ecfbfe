#include "sim/short_cut.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/strategies/strategy.h"
#include "sim/folding.h"

namespace tandem {
namespace {

std::optional<std::string> extrapolation_refusal(const Scenario& scenario,
                                                 const std::string& platform) {
  if (!scenario.simulation.extrapolate) return "simulation.extrapolate is false";
  if (scenario.simulation.depth == Depth::kPayload) return "every iteration trains on its own data";
  if (scenario.chakra) return "traces of the whole job are asked for";
  if (!repeats_itself(scenario)) return "what workers send does not repeat itself";
  if (scenario.faults.is_random()) return "what disturbs iterations is random";
  if (scenario.faults.changes_in_time()) return "faults come and go";
  if (changes_in_time(platform)) return "the platform changes in the course of time";
  return std::nullopt;
}

/// Timed ones until the last that is traced, of a run of so many.
int iterations_until_traced(const Scenario& scenario, int iterations) {
  const TracedIterations traced = scenario.traced_iterations();
  if (traced.count == 0) return 0;
  return static_cast<int>(std::min(long{iterations}, (long{traced.count} - 1) * traced.every + 1));
}

}  // namespace

ShortCuts take_short_cuts(const Experiment& experiment, const std::string& platform,
                          const RefusedShortCuts& refused) {
  const Scenario& scenario = experiment.scenario;
  ShortCuts taken{.refused = refused, .cluster = {}, .steady = {}};
  taken.cluster = find_flat_cluster(platform);
  if (!refused.folding)
    taken.refused.folding = folding_refusal(scenario, experiment.graph, taken.cluster);
  if (!refused.extrapolation)
    taken.refused.extrapolation = extrapolation_refusal(scenario, platform);
  if (!taken.refused.extrapolation) {
    const auto steady = [&](int needed) {
      return steady_state(experiment.iterations, scenario.warmup_iterations, scenario.period(),
                          needed);
    };
    taken.steady = steady(iterations_until_traced(scenario, experiment.iterations));
    if (!taken.steady)
      taken.refused.extrapolation =
          steady(0) ? "too many iterations are traced, or too far apart" : "the iterations are few";
  }
  return taken;
}

void require_short_cuts(const ShortCuts& short_cuts, const Scenario& scenario, const Engine& engine,
                        const std::vector<MemberDevice>& devices) {
  const bool varies = std::ranges::any_of(devices, &MemberDevice::varies);
  const std::string reason = "iterations of the device differ in length";
  if (varies && short_cuts.folds()) throw ShortCutFailed(ShortCut::kFolding, reason);
  if (varies && short_cuts.steady) throw ShortCutFailed(ShortCut::kExtrapolation, reason);
  if (short_cuts.folds() && meets_at_servers(scenario) && engine.calibration().eager_bytes > 0)
    throw ShortCutFailed(ShortCut::kFolding, "small messages to servers are sent unasked");
  if (short_cuts.folds() && engine.calibration().does_collectives_in_memory())
    throw ShortCutFailed(ShortCut::kFolding, "members do collectives in the memory of a host");
}

void describe(const ShortCuts& short_cuts, int workers, nlohmann::json& environment) {
  environment["folded"] = nullptr;
  if (short_cuts.folds()) {
    environment["folded"]["classes"] = {{{"rank", 0}, {"workers", workers}}};
  } else {
    environment["unfolded_reason"] = *short_cuts.refused.folding;
  }
  environment["extrapolated_after_iterations"] = nullptr;
  if (short_cuts.steady) {
    environment["extrapolated_after_iterations"] = short_cuts.steady->iterations;
    environment["extrapolation_tolerance"] = kSteadyTolerance;
  } else {
    environment["not_extrapolated_reason"] = *short_cuts.refused.extrapolation;
  }
}

}  // namespace tandem
