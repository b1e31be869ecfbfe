#pragma once

#include <functional>
#include <map>
#include <vector>

#include "core/comm/reactor.h"
#include "core/record/task.h"
#include "core/strategies/parameter_server/shard.h"

namespace tandem {

/// A server's answers to pulls. With priority every worker is sent two pieces at a time, so that
/// the wire never waits for the second, the front layers' first, which its forward pass needs first
/// (Jayarajan et al., "Priority-based parameter propagation for distributed DNN training", MLSys
/// 2019); else all at once, sharing the link.
class Answers {
 public:
  struct Options {
    int workers = 1;
    bool priority = true;
    /// Sends a copy: where weights may be updated before the worker has them.
    bool copies = false;
    /// Called when the weights that a worker gets are fixed. May be empty.
    std::function<void(int worker, int piece)> on_leave = {};
  };

  /// Both must outlive it.
  Answers(ParameterShard& shard, Reactor& reactor, Options options);

  /// Sends `piece` to `worker` for its `iteration`, in its turn.
  void add(int worker, int piece, int iteration);

 private:
  struct Waiting {
    int iteration;
    Turn turn;
  };
  struct Line {
    std::map<int, Waiting> waiting;  ///< by piece
    int under_way = 0;
    Buffer copy;
  };

  void send_next(int worker);
  void send(int worker, int piece, int iteration);

  ParameterShard& shard_;
  Reactor& reactor_;
  Options options_;
  std::vector<Line> lines_;  ///< by worker
};

}  // namespace tandem
