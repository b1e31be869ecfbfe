#pragma once

#include <optional>
#include <string>

#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "sim/flat_cluster.h"

namespace tandem {

/// The hosts that a folded simulation needs: one for all workers and those of the servers, and no
/// fewer than tell a link that all share from one of two hosts.
std::size_t folded_hosts(const Scenario& scenario);

/// Why the workers of a scenario can't all be simulated as one; nothing where they can, as far as
/// that can be said without the platform's figures: they are alike, on hosts that are alike, and
/// meet in collectives in which all do alike, or at servers that treat them alike.
std::optional<std::string> folding_refusal(const Scenario& scenario, const LayerGraph& graph,
                                           const std::optional<FlatCluster>& cluster);

}  // namespace tandem
