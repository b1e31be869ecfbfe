#pragma once

#include <functional>

#include "core/scenario/faults.h"
#include "sim/engine.h"

namespace tandem {

/// Has an actor call `begin` and `end` when the window, which is in seconds, does; neither where
/// the job is over before. The actor keeps no simulation going.
void at_times(const Engine& engine, const FaultWindow& window, const std::function<void()>& begin,
              const std::function<void()>& end);

}  // namespace tandem
