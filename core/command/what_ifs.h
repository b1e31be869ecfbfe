#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/command/aside_simulator.h"
#include "core/explain/replay.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// What a change of a point would buy.
struct WhatIf {
  std::string name;
  std::optional<double> predicted_s = {};  ///< of an iteration, by predicted_time()
  std::optional<double> simulated_s = {};  ///< the same by simulation; none where it was not made
  bool is_single = true;                   ///< one cause taken away, not several
  bool is_only_simulated = false;          ///< the trace tells nothing of it

  std::optional<double> best_known_s() const { return simulated_s ? simulated_s : predicted_s; }
};

/// The point as it is, and each of: infinite bandwidth, no latency, both, of a measured one only
/// both, since its messages don't show which takes what; devices twice as fast; and overlap, where
/// it has none. Those but the last are predicted from the trace's graph, whose iterations in
/// `scope` they are about, and checked by simulating them where there is a `simulator`. Throws
/// InputError, RunError.
std::vector<WhatIf> what_ifs(const Scenario& point, const std::string& world,
                             const EventGraph& graph, const TracedNetwork& network,
                             const Scope& scope, const AsideSimulator* simulator);

}  // namespace tandem
