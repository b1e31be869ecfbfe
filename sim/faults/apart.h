#pragma once

#include <filesystem>
#include <functional>

#include "core/record/point_result.h"
#include "sim/segment.h"

namespace tandem {

/// simulate() in a child process, since SimGrid can't be started twice in one: again without a
/// short-cut that turned out not to hold. `scratch` is a file of its own for the child's result,
/// which is gone afterwards. Throws what simulate() throws; ends this process as the child's where
/// that died with a message of its own.
PointResult simulate_apart(const Scenario& scenario, const Segment& segment,
                           const std::filesystem::path& scratch,
                           const std::function<void(int done, int total)>& progress);

}  // namespace tandem
