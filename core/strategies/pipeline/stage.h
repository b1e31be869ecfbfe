#pragma once

#include <vector>

#include "core/collectives/schedule.h"
#include "core/model/partition.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// A worker's place in the grid of D replicas of a pipeline of S stages: worker r has stage r % S
/// of replica r / S, so a pipeline is S consecutive ranks.
struct Stage {
  int index = 0;
  int stages = 1;
  int replica = 0;
  int replicas = 1;
  LayerRange layers;
  Chunk parameters;  ///< of its layers, their place in the arenas

  bool is_first() const { return index == 0; }
  bool is_last() const { return index + 1 == stages; }
  int rank() const { return replica * stages + index; }
  /// The ranks of its pipeline, by stage.
  std::vector<int> pipeline() const;
  /// The ranks that hold this stage, by replica.
  std::vector<int> holders() const;
};

/// Those of the first replica, by rank. Throws InputError where the model can't be cut into so many
/// stages.
std::vector<Stage> stages_of(const Scenario& scenario, const LayerGraph& graph);

/// That of worker `rank`. Throws as stages_of().
Stage stage_of(const Scenario& scenario, const LayerGraph& graph, int rank);

/// Micro-batches whose activations a worker of this stage holds at most.
int most_in_flight(const Scenario& scenario, int stage);

}  // namespace tandem
