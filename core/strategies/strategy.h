#pragma once

#include <memory>
#include <vector>

#include "core/collectives/all_reduce.h"
#include "core/training/checkpoint/checkpoints.h"
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
  /// Before and after forward() of `layer`, in order: where parameters are waited for, and given
  /// back.
  virtual void before_forward(int /*layer*/) {}
  virtual void after_forward(int /*layer*/) {}
  /// Before and after backward() of `layer`, in reverse order.
  virtual void before_backward(int /*layer*/) {}
  virtual void after_backward(int /*layer*/) {}
  /// After backward() of `layer`: its gradients are final. Called for layers in reverse order, of
  /// an iteration's passes in the last.
  virtual void gradient_ready(int layer) = 0;
  /// After the backward pass: waits for what is in flight and updates the weights, or leaves that
  /// to a server.
  virtual void end_iteration() = 0;
  /// Before the first and after the last iteration of a leg (training/checkpoint/leg.h). Where a
  /// checkpoint follows, end_leg() leaves nothing of this member in flight; what it takes for that
  /// from slower ones it waits for.
  virtual void begin_leg(const Leg&) {}
  virtual void end_leg() {}
  /// Around a test of the weights between two iterations, on every worker at once: where weights
  /// that a worker does not hold are fetched, and given back.
  virtual void begin_evaluation() {}
  virtual void end_evaluation() {}
  /// After the last iteration: leaves this member with the final weights.
  virtual void finish() {}

  /// Between two legs: visits all that the next one needs and begin_leg() can't tell, the replica's
  /// weights and optimizer state among it.
  virtual void visit_state(StateVisitor&) = 0;

  /// Between any two kernels of the passes: where an asynchronous strategy answers its peers, so
  /// that they need not wait for the iteration's end.
  virtual void poll() {}
};

/// The strategy of worker `replica.worker` for the scenario's algorithm.
std::unique_ptr<Strategy> make_strategy(Replica& replica);

/// What member `rank` keeps of the model states for as long as it lives.
Holding holding_of(const Scenario& scenario, const LayerGraph& graph, int rank);

/// The distinct collectives that workers start.
std::vector<CollectiveUse> collectives_of(const Scenario& scenario, const LayerGraph& graph);

/// Whether a worker can't begin an iteration before all have come to it.
bool is_in_step(const Scenario& scenario);

/// Whether workers on like machines begin each collective at the same time.
bool starts_together(const Scenario& scenario);

/// Whether workers meet in collectives only, those of collectives_of(), and all of them in each.
bool meets_in_collectives(const Scenario& scenario);

/// Whether workers on like machines send messages to servers only, which deal with all workers at
/// the same time.
bool meets_at_servers(const Scenario& scenario);

/// Whether what workers send, and to whom, repeats itself every scenario.period() iterations, and
/// no worker can begin an iteration before all have come to it.
bool repeats_itself(const Scenario& scenario);

/// Whether what members do for whom depends on who is where when: with other times it is another
/// training, which no order of what one did can tell of.
bool decides_by_time(const Scenario& scenario);

/// The whole life of a member that is no worker, `iterations` long: a server. Returns the weights
/// that it holds in the end: the servers' together, in the order of their ranks, are the model's.
Buffer serve(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int iterations,
             Checkpoints& checkpoints);

/// Whether the member of this rank is a server: servers have the highest ranks.
bool is_server(const Scenario& scenario, int rank);

}  // namespace tandem
