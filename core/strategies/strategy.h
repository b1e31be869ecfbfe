#pragma once

#include <memory>
#include <vector>

#include "core/collectives/all_reduce.h"
#include "core/training/replica.h"

namespace tandem {

/// What a member does about communication in an iteration. The training loop (training/trainer.cc)
/// calls these at the points where the papers say that something is sent or waited for; a strategy
/// owns everything between.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Before the forward pass: where weights are pulled.
  virtual void begin_iteration() {}
  /// Before forward() of `layer`: its weights are needed. Called for layers in their order.
  virtual void before_forward(int /*layer*/) {}
  /// After backward() of `layer`: its gradients are final. Called for layers in reverse order.
  virtual void gradient_ready(int layer) = 0;
  /// After the backward pass: waits for what is in flight and updates the weights, or leaves that
  /// to a server.
  virtual void end_iteration() = 0;
  /// After the last iteration: leaves this member with the final weights.
  virtual void finish() {}
};

/// The strategy of worker `replica.worker` for the scenario's algorithm.
std::unique_ptr<Strategy> make_strategy(Replica& replica);

/// The distinct collectives that the strategy's workers start.
std::vector<CollectiveUse> collectives_of(const Scenario& scenario, const LayerGraph& graph);

/// The whole life of a member that is no worker, `iterations` long: a server. Returns the weights
/// that it holds in the end: the servers' together, in the order of their ranks, are the model's.
Buffer serve(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int iterations);

/// Whether the member of this rank is a server: servers have the highest ranks.
bool is_server(const Scenario& scenario, int rank);

}  // namespace tandem
