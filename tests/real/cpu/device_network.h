#pragma once

#include "core/training/experiment.h"

namespace tandem {

/// The device that these tests are of: each executable that runs them links one. `threads` counts
/// where its networks compute with threads, `precision` where it decides how they multiply float32.
NetworkFactory device_network(int threads = 1, const PrecisionSpec& precision = {});
/// As Experiment's.
std::function<MakeMirror()> device_mirrors();

/// How far a weight may be off after a few steps where sums of float32 went another way: with a
/// batch in parts, say.
double device_rounding();

/// prepare_experiment() with payload, on that device.
inline Experiment prepare_on_device(const Scenario& scenario) {
  Experiment experiment = prepare_experiment(scenario, true, device_network(1, scenario.precision));
  experiment.mirrors = device_mirrors();
  return experiment;
}

}  // namespace tandem
