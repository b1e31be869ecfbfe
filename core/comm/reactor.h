#pragma once

#include <deque>
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

  /// Calls `act` from run() once nothing more has completed: what takes long, so that all that came
  /// at once is seen first, however many it came from. In the order of the calls.
  void afterwards(std::function<void()> act) { later_.push_back({std::move(act), cause_}); }

  /// Reacts to what has completed by now.
  void poll() {
    while (react_to_one(0)) continue;
  }

  /// Returns when nothing is in flight any more. Throws as Worker::wait_any().
  void run();

 private:
  struct Later {
    std::function<void()> act;
    std::uint64_t cause;
  };

  /// Whether one had completed, or was waited for.
  bool react_to_one(Seconds timeout);
  std::optional<Completion> wait_any(Seconds timeout);

  Worker& worker_;
  std::vector<Handle> handles_;
  std::vector<std::function<void(int)>> reactions_;  ///< parallel to handles_
  std::deque<Later> later_;
  std::uint64_t cause_ = 0;  ///< Task::cause of what is reacted to
};

}  // namespace tandem
