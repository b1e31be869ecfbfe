#pragma once

#include "core/strategies/parameter_server/server.h"

namespace tandem {

/// Applies every gradient the moment it arrives, whoever it is from: the asynchronous server of
/// Downpour SGD (Dean et al., "Large scale distributed deep networks", NIPS 2012). With a bound s
/// it is stale synchronous parallel (Ho et al., "More effective distributed ML via a stale
/// synchronous parallel parameter server", NIPS 2013): a worker at clock c gets its weights once
/// those hold every worker's updates up to clock c-s. A worker always sees its own updates.
class AsynchronousServer final : public Server {
 public:
  /// So many iterations were done before.
  AsynchronousServer(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int done);

  void begin_leg(const Leg& leg) override;
  void visit_past(StateVisitor& visitor) override;

 protected:
  void finish(const Leg& last) override;
  bool may_answer(int piece, int worker, int pull) const override;

 private:
  /// Of one piece.
  struct State {
    int version = 0;                ///< updates in its weights
    int awaited = 0;                ///< pushes received or being waited for, of all workers
    std::vector<int> applied = {};  ///< by worker: its clock, the updates of it in the weights
    std::vector<int> read = {};     ///< by worker: the version that it has
  };
  /// The push of a worker that is arriving.
  struct Push {
    int parts = 0;  ///< pieces that were applied
    int staleness = 0;
  };

  void await_question();
  /// So many of each worker in all.
  void await_pushes(int pushes);
  void await_push(int piece, int slot);
  void apply(int piece, int worker, View gradient);
  void note_staleness(int piece, int worker);

  int pushes_;  ///< of each worker, when the leg ends
  int questions_left_ = 0;
  std::vector<Buffer> slots_;   ///< where pushes land: one is applied while the next comes in
  std::vector<State> states_;   ///< by piece
  std::vector<Push> arriving_;  ///< by worker
};

}  // namespace tandem
