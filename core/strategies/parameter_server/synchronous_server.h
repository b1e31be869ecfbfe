#pragma once

#include <map>
#include <vector>

#include "core/strategies/parameter_server/server.h"

namespace tandem {

/// Sequential consistency: iteration k+1 begins with the average of iteration k's gradients. With
/// backup workers (Chen et al., "Revisiting distributed synchronous SGD", ICLR 2016 workshop) the
/// average is over the first N-b gradients that arrive of an iteration; later ones are dropped.
/// Gradients are added up in the order of their workers' ranks, so that without backup workers the
/// sum has the same bits in every run.
///
/// Where workers push in order of priority, and all are waited for, it takes a worker's pieces only
/// a little ahead of those of others who push too: a wire that is shared unevenly, as TCP does,
/// would else bring the pieces of the one long before those of the other, and answers would wait.
class SynchronousServer final : public Server {
 public:
  /// So many iterations were done before.
  SynchronousServer(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int done);

  void begin_leg(const Leg& leg) override;

 protected:
  void finish(const Leg& last) override;
  bool may_answer(int piece, int worker, int pull) const override;

 private:
  /// Of one piece.
  struct State {
    int version = 0;                ///< iterations whose gradients are in its weights
    std::vector<int> pushed = {};   ///< by worker: gradients that arrived
    std::vector<int> in_time = {};  ///< workers whose gradients this iteration takes
    int gradients = 0;              ///< theirs, and those that they stand for
  };

  /// Awaits the worker's next pushes, in the order in which it pushes, as many as it may be ahead.
  void await_pushes(int worker);
  void await_push(int piece, int worker);
  void arrived(int piece, int worker);
  /// One more push of the worker's has arrived.
  void count_push(int worker);
  /// Pushes of the one furthest behind of those that are part-way through an iteration's.
  long furthest_behind() const;
  void average_and_update(int piece);
  bool has_pushed_all(int worker) const;

  Leg leg_;
  int needed_;                          ///< gradients an iteration
  bool abreast_;                        ///< workers are kept so
  std::vector<Buffer> gradients_;       ///< by worker
  std::vector<State> states_;           ///< by piece
  std::vector<long> awaited_, pushed_;  ///< by worker: over all pieces and iterations
  std::map<long, int> part_way_;  ///< workers that are part-way through an iteration's, by pushed_
};

}  // namespace tandem
