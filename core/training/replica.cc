#include "core/training/replica.h"

#include "core/comm/elementwise.h"
#include "core/model/zoo.h"
#include "core/strategies/strategy.h"

namespace tandem {
namespace {

Buffer arena(const Replica& replica, bool holds_all) {
  const std::size_t elements = replica.graph.parameter_elements();
  const DType dtype = replica.scenario.precision.dtype();
  return holds_all ? replica.worker.allocate(elements, dtype)
                   : replica.worker.reserve(elements, dtype);
}

}  // namespace

std::size_t Holding::updated_elements() const {
  std::size_t elements = 0;
  for (const Chunk& chunk : updated) elements += chunk.elements;
  return elements;
}

Replica::Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker)
    : Replica(scenario, graph, worker, holding_of(scenario, graph, worker.group().rank)) {}

Replica::Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                 const Holding& holding)
    : scenario(scenario),
      graph(graph),
      worker(worker),
      parameters(arena(*this, holding.all_parameters)),
      gradients(arena(*this, holding.all_gradients)),
      optimizer(scenario.optimizer, worker, graph, holding.updated, scenario.precision.dtype()),
      gradient_scale(scenario),
      gradient_norm(worker) {
  const bool holds_all = holding.all_parameters && weights().elements == graph.parameter_elements();
  if (!holds_all || !parameters.view().has_data()) return;
  initialize_parameters(graph, scenario.seed, weights().floats());
  if (optimizer.master().elements > 0) convert(parameters.view(), optimizer.master());
}

void Replica::visit_state(StateVisitor& visitor, Holder holder) {
  const ArenaPlace place{holder, {{0, graph.parameter_elements()}}};
  visitor.arena("parameters", parameters.view(), place);
  optimizer.visit_state(visitor, "optimizer", place);
  gradient_scale.visit_state(visitor);
}

bool Replica::admit_step(float average) {
  if (gradient_scale.needs_norm()) {
    gradient_norm.clear();
    gradient_norm.measure(gradients.view());
    if (!admit_measured_step(average)) return false;
  }
  if (optimizer.is_layer_wise()) {
    optimizer.measure(worker, parameters.view(), gradients.view(), 0,
                      gradient_scale.factor(average));
  }
  return true;
}

bool Replica::admit_measured_step(float average) {
  if (gradient_scale.admit(gradient_norm.square(), average)) return true;
  optimizer.skip_step();
  return false;
}

}  // namespace tandem
