#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/scenario/scenario.h"

namespace tandem {

/// What `collective: auto` of these workers goes by, as a manifest keeps it; null where it doesn't.
nlohmann::json figures_to_json(const Scenario& scenario);

/// Where the scenario resumes from a checkpoint by as many workers, and both go by figures: takes
/// those over, so that the same collectives add in the same order. Returns whether it did. Throws
/// InputError where the checkpoint can't be used.
bool resume_figures(Scenario& scenario);

}  // namespace tandem
