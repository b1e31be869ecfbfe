#pragma once

#include "core/comm/worker.h"

namespace tandem {

/// Tells a server's recorder where its iterations end: it has no loop of its own, so an iteration
/// is an equal share of all the work that the server will do.
class IterationClock {
 public:
  /// `total` pieces of work in `iterations`. `worker` must outlive it.
  IterationClock(Worker& worker, int iterations, long total);

  /// One piece of work is done.
  void tick();

 private:
  void end_reached();

  Worker& worker_;
  int iterations_;
  long total_;
  long done_ = 0;
  int ended_ = 0;
};

}  // namespace tandem
