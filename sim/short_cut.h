#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/steady_state.h"
#include "core/training/experiment.h"
#include "sim/engine.h"
#include "sim/flat_cluster.h"
#include "sim/member.h"
#include "sim/short_cut_failed.h"

namespace tandem {

/// The short-cuts that an experiment's simulation takes, and why not the others.
struct ShortCuts {
  RefusedShortCuts refused;
  std::optional<FlatCluster> cluster;  ///< what the platform is, where it is one
  std::optional<SteadyState> steady;   ///< until when to simulate, where iterations are left out

  bool folds() const { return !refused.folding; }
};

/// `platform` is the text of its file, which is not loaded; `refused` is what failed already.
ShortCuts take_short_cuts(const Experiment& experiment, const std::string& platform,
                          const RefusedShortCuts& refused);

/// Throws ShortCutFailed where what is known of the loaded platform and its devices forbids one.
void require_short_cuts(const ShortCuts& short_cuts, const Scenario& scenario, const Engine& engine,
                        const std::vector<MemberDevice>& devices);

/// For run.json.
void describe(const ShortCuts& short_cuts, int workers, nlohmann::json& environment);

}  // namespace tandem
