#pragma once

#include <optional>
#include <vector>

#include "core/comm/reactor.h"
#include "core/strategies/parameter_server/answers.h"
#include "core/strategies/parameter_server/iteration_clock.h"
#include "core/strategies/parameter_server/legs.h"
#include "core/strategies/parameter_server/shard.h"
#include "core/training/checkpoint/checkpoints.h"
#include "core/training/gradient_scale.h"
#include "core/training/optimizer.h"

namespace tandem {

/// A server of Li et al., "Scaling distributed machine learning with the parameter server" (OSDI
/// 2014): workers push gradients of the pieces in its shard and pull their weights; how fresh
/// weights must be before a pull is answered, and what becomes of a gradient, is the consistency
/// model (section 3.4), which derived classes are.
class Server : public LegServer {
 public:
  /// All must outlive it. Of a worker there are `pulls` pulls before this run's first.
  Server(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int pulls,
         const Answers::Options& answers);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves until every worker has its final weights, after `iterations` in all; leaves the
  /// shard's.
  Buffer run(Checkpoints& checkpoints, int iterations);

  /// Visits the weights and what their optimizers keep.
  void visit_state(StateVisitor& visitor) override;

 protected:
  /// Goes before the first update of a leg, which has so many of each piece.
  void expect_updates(const Leg& leg, long updates);
  /// After the last leg, in which nothing is in flight any more: puts in flight what workers then
  /// still wait for.
  virtual void finish(const Leg& last) = 0;

  /// Whether the weights of `piece` are fresh enough for pull `pull` of the worker.
  virtual bool may_answer(int piece, int worker, int pull) const = 0;

  /// A worker asks for all pieces, or for one: its next pull of each.
  void asked(int worker);
  void asked(int worker, int piece);
  /// Steps the optimizer of `piece` with `gradient`, of which `average` makes the mean.
  void update(int piece, View gradient, float average);
  /// After update(): what was asked for may be fresh enough now.
  void updated(int piece);

  const Scenario& scenario_;
  const std::vector<int> workers_;  ///< that stand for themselves, or for others too
  ParameterShard shard_;
  Reactor reactor_;
  Answers answers_;

 private:
  void answer(int piece);

  struct Pull {
    int worker;
    int number;
  };
  Leg leg_;
  long updates_ = 1;        ///< of each piece in the leg
  std::vector<long> done_;  ///< by piece: of those
  GradientScale gradient_scale_;
  std::vector<Optimizer> optimizers_;       ///< by piece: their steps need not be in step
  std::vector<std::vector<Pull>> waiting_;  ///< by piece
  std::vector<std::vector<int>> pulls_;     ///< by piece, by worker: how often it asked
  std::optional<IterationClock> clock_;     ///< of the leg
};

/// The life of a member of algorithm parameter_server that is a server. Returns its shard of the
/// final weights.
Buffer serve_parameters(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                        int iterations, Checkpoints& checkpoints);

}  // namespace tandem
