#pragma once

#include <functional>
#include <vector>

#include "core/comm/worker.h"

namespace tandem {

/// Operations in flight, each with what is to be done once it has completed: the loop of a member
/// that serves whoever comes first.
class Reactor {
 public:
  /// `worker` must outlive it.
  explicit Reactor(Worker& worker) : worker_(worker) {}

  /// Calls `react` from run() once `handle` has completed; of a receive, with whom it came from. It
  /// may begin further operations.
  void when(Handle handle, std::function<void(int peer)> react);

  /// Returns when nothing is in flight any more. Throws as Worker::wait_any().
  void run();

 private:
  Worker& worker_;
  std::vector<Handle> handles_;
  std::vector<std::function<void(int)>> reactions_;  ///< parallel to handles_
};

}  // namespace tandem
