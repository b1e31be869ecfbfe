#include "core/training/replica.h"

#include "core/comm/elementwise.h"
#include "core/model/zoo.h"

namespace tandem {

Replica::Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker)
    : scenario(scenario),
      graph(graph),
      worker(worker),
      parameters(worker.allocate(graph.parameter_elements(), scenario.precision.dtype())),
      gradients(worker.allocate(graph.parameter_elements(), scenario.precision.dtype())),
      optimizer(scenario.optimizer, worker, graph.parameter_elements(), scenario.precision.dtype()),
      gradient_scale(scenario),
      gradient_norm(worker) {
  if (!parameters.view().has_data()) return;
  initialize_parameters(graph, scenario.seed, weights().floats());
  if (optimizer.master().elements > 0) convert(parameters.view(), optimizer.master());
}

bool Replica::admit_step(float average) {
  if (!gradient_scale.needs_norm()) return true;
  gradient_norm.clear();
  gradient_norm.measure(gradients.view());
  if (gradient_scale.admit(gradient_norm.square(), average)) return true;
  optimizer.skip_step();
  return false;
}

}  // namespace tandem
