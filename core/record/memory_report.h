#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/training/experiment.h"

namespace tandem {

/// What run.json says about memory, in bytes: the memory model's prediction for the first worker by
/// part; by rank, the peak of its counted buffers, and where it was measured, of its whole process.
nlohmann::json describe_memory(const Experiment& experiment,
                               const std::vector<MemberResult>& members);

}  // namespace tandem
