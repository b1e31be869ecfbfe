#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/value.h"

namespace tandem {

// Readers of a scenario's parts; each takes the part's short form (a name alone) or a map. All
// throw InputError that says where.

ModelSpec read_model(const Value& value);
/// A layer of a user's model; `index` counts from 1 and names a layer that has no name.
LayerSpec read_layer(const Value& value, int index);
DataSpec read_data(const Value& value);
OptimizerSpec read_optimizer(const Value& value);
LearningRateSchedule read_schedule(const Value& value);
PrecisionSpec read_precision(const Value& value);
CompressionSpec read_compression(const Value& value);
AlgorithmSpec read_algorithm(const Value& value);
/// The one of this name, and whatever else it can say left to its default.
AlgorithmSpec standard_algorithm(const std::string& name);
/// Of the factors of a simulation: far beyond, its times are too short or too long to be added up.
inline constexpr double kLeastFactor = 1e-9, kMostFactor = 1e9;
SimulationSpec read_simulation(const Value& value);
TraceSpec read_trace(const Value& value);
FaultsSpec read_faults(const Value& value);
/// That faults.recovery and `checkpoint` agree. `value` is that of `faults`.
void check_recovery(const Value& value, const Scenario& scenario);
/// Of a platform that is a map.
Topology read_topology(const Value& value);
CheckpointSpec read_checkpoint(const Value& value);

/// A whole point, without a sweep. `default_name` where it has none.
Scenario read_scenario(const Value& root, const std::string& default_name);

}  // namespace tandem
