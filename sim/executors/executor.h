#pragma once

#include <memory>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "sim/operation.h"

namespace tandem {

/// Runs a job's collectives. A member's collectives run one after the other, in the order in which
/// it starts them.
class CollectiveExecutor {
 public:
  virtual ~CollectiveExecutor() = default;
  /// Puts `rank`'s part of its next collective in flight; completes `operation` in time. Called by
  /// the member's actor. Throws ShortCutFailed where this executor can't tell the times of the
  /// collective.
  virtual void start(int rank, std::unique_ptr<const Schedule> schedule, View view,
                     std::shared_ptr<SimOperation> operation) = 0;
  /// `rank` has ended and starts no more.
  virtual void leave(int rank) = 0;
};

}  // namespace tandem
