#pragma once

#include <filesystem>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// Simulates points to learn from them, without writing a result: works in the folder `work`, which
/// must exist. Throws InputError where one can't be simulated, and RunError where one fails.
std::vector<PointResult> simulate_aside(const std::vector<Scenario>& points,
                                        const std::filesystem::path& work);

/// Whether the platform has room for it, and it can be simulated otherwise.
bool can_be_simulated(const Scenario& point, const std::filesystem::path& work);

}  // namespace tandem
