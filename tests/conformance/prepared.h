#pragma once

#include "core/training/experiment.h"

namespace tandem {

/// An experiment with payload, on the device that the executable links (device_network.h). Cases
/// with the same samples share them: making them takes longer than training on them does, and every
/// rank makes its own.
Experiment prepared(const Scenario& scenario);

}  // namespace tandem
