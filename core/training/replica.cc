#include "core/training/replica.h"

#include "core/model/zoo.h"

namespace tandem {

Replica::Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker)
    : scenario(scenario),
      graph(graph),
      worker(worker),
      parameters(worker.allocate(graph.parameter_elements(), DType::kFloat32)),
      gradients(worker.allocate(graph.parameter_elements(), DType::kFloat32)),
      optimizer(scenario.optimizer, worker, graph.parameter_elements()) {
  if (parameters.view().has_data()) {
    initialize_parameters(graph, scenario.seed, parameters.view().floats());
  }
}

}  // namespace tandem
