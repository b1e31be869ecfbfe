#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/training/experiment.h"
#include "sim/engine.h"

namespace tandem {

/// For run.json: `hosts` by rank; of the messages that the members' spans show, the `routes`, each
/// [source, destination, names of the links that split their bandwidth]; and those `links`, by name
/// their bytes/s. `hosts` says which host of the platform each rank has.
nlohmann::json used_network(const Engine& engine, const std::vector<int>& hosts,
                            const std::vector<MemberResult>& members);

}  // namespace tandem
