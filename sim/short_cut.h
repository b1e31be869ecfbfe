#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/record/steady_state.h"
#include "core/training/experiment.h"
#include "sim/engine.h"
#include "sim/flat_cluster.h"
#include "sim/member.h"

namespace tandem {

/// What a simulation may leave out: workers that are like another (folding.h), and iterations that
/// are like others (steady_state.h).
enum class ShortCut { kFolding, kExtrapolation };

/// Why short-cuts are not taken; what is empty may be.
struct RefusedShortCuts {
  std::optional<std::string> folding, extrapolation;
};

/// A short-cut turned out not to hold when the simulation had begun: it has to be done again,
/// without it, by another process.
class ShortCutFailed : public std::runtime_error {
 public:
  ShortCutFailed(ShortCut which, const std::string& reason)
      : std::runtime_error(reason), which_(which) {}
  ShortCut which() const { return which_; }

 private:
  ShortCut which_;
};

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
