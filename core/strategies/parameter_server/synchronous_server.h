#pragma once

#include "core/strategies/parameter_server/server.h"

namespace tandem {

/// Sequential consistency: iteration k+1 begins with the average of iteration k's gradients. With
/// backup workers (Chen et al., "Revisiting distributed synchronous SGD", ICLR 2016 workshop) the
/// average is over the first N-b gradients that arrive of an iteration; later ones are dropped.
/// Gradients are added up in the order of their workers' ranks, so that without backup workers the
/// sum has the same bits in every run.
class SynchronousServer final : public Server {
 public:
  SynchronousServer(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                    int iterations);

  Buffer run() override;

 protected:
  bool may_answer(int piece, int worker, int pull) const override;

 private:
  /// Of one piece.
  struct State {
    int version = 0;                ///< iterations whose gradients are in its weights
    std::vector<int> pushed = {};   ///< by worker: gradients that arrived
    std::vector<int> in_time = {};  ///< workers whose gradients this iteration takes
  };

  void await_push(int piece, int worker);
  void arrived(int piece, int worker);
  void average_and_update(int piece);
  bool has_pushed_all(int worker) const;

  int needed_;                     ///< gradients an iteration
  std::vector<Buffer> gradients_;  ///< by worker
  std::vector<State> states_;      ///< by piece
};

}  // namespace tandem
