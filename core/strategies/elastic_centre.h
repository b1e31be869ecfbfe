#pragma once

#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "core/training/checkpoint/checkpoints.h"

namespace tandem {

/// The life of a server of elastic averaging SGD (elastic_averaging.h), which holds a shard of the
/// centre: it draws it to each worker's weights that come in, and answers with what it was before.
/// Returns it.
Buffer serve_centre(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                    int iterations, Checkpoints& checkpoints);

}  // namespace tandem
