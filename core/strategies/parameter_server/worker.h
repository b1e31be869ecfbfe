#pragma once

#include <vector>

#include "core/strategies/parameter_server/pieces.h"
#include "core/strategies/strategy.h"

namespace tandem {

/// A worker of a parameter server (Li et al., OSDI 2014), whatever its mode: it pulls weights, each
/// layer of the forward pass waiting for its own only, or without pull_overlap the first for all of
/// them, and pushes each piece of its gradients as backward finishes it. With early_pull it asks
/// for a piece's next weights by pushing its gradients, so that they arrive while others are still
/// being pushed, as in Jiang et al., "A unified architecture for accelerating distributed DNN
/// training" (BytePS, OSDI 2020); else it pulls when the next iteration begins. As a Downpour
/// client (Dean et al., NIPS 2012, algorithm 7.1) it pushes every n_push iterations what it has
/// accrued, pulls every n_fetch, and steps by itself in between; else it keeps no optimizer state.
class ParameterServerWorker final : public Strategy {
 public:
  explicit ParameterServerWorker(Replica& replica);

  void begin_leg(const Leg& leg) override;
  void begin_iteration() override;
  void before_forward(int layer) override;
  void gradient_ready(int layer) override;
  void end_iteration() override;
  void finish() override;
  /// The servers keep the weights, but for those that a client steps by itself.
  void visit_state(StateVisitor& visitor) override;

 private:
  void ask();
  void pull_all();
  void pull(std::size_t index);
  void push_through(int layer);
  void accrue(const Piece& piece);
  void push(std::size_t index);
  bool pulls_ahead() const;

  Replica& replica_;
  const AlgorithmSpec& algorithm_;
  std::vector<Piece> pieces_;
  Leg leg_;
  int iteration_ = 0;
  bool has_pulled_ahead_ = false;  ///< in the iteration before this one
  int accrued_iterations_ = 0;     ///< that are in accrued_
  Buffer accrued_;             ///< gradients since the last push; empty where every one is pushed
  std::size_t next_ = 0;       ///< piece whose gradients backward finishes next
  std::vector<Handle> pulls_;  ///< by piece
  std::vector<Handle> sends_;  ///< pushes and questions
};

/// What a worker keeps.
Holding parameter_server_holding(const Scenario& scenario, const LayerGraph& graph, int rank);

/// Whether the server waits for all workers' gradients before any gets weights.
bool waits_for_all_workers(const Scenario& scenario);

}  // namespace tandem
