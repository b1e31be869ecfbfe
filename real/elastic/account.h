#pragma once

#include <optional>
#include <vector>

#include "core/faults/failures.h"
#include "core/record/journal.h"

namespace tandem::elastic {

/// How a stretch of a job ended.
enum class End {
  kDone,      ///< with the training's
  kLost,      ///< a member was lost
  kTakesBack  ///< after a checkpoint, so that a worker who is back can take part
};

/// What became of one MPI job of an elastic run.
struct Stretch {
  int workers = 0;
  int first = 0;  ///< iterations that were done before it
  std::vector<JournalEntry> journal = {};
  End end = End::kDone;
  Seconds ended = 0;  ///< since 1970: all of its processes
  int kept = 0;       ///< iterations that were done and needn't be done again, of those before too
  Seconds patience = kForever;  ///< so long its members wait for messages
  /// Since 1970: its last sign of life where it was ended for want of more. What it did as it ended
  /// is part of how long that took to be found out.
  std::optional<Seconds> silent_since = {};
};

/// Where the time of a job went: FailedJob without its events. The job begins with the training of
/// its first stretch, and ends with the last iteration of its last.
FailedJob account(const std::vector<Stretch>& stretches);

/// What each stop took in the mean of the stretches' account(), `job`: of a RecoverySpec the times,
/// for a simulation to go by.
RecoverySpec mean_costs(const std::vector<Stretch>& stretches, const FailedJob& job);

/// What the journal says of members that the stretch lost by faults; nothing of those that were cut
/// off and could be reached again before anybody gave up, as by Failure::held_up().
std::vector<JournalEntry> told_losses(const Stretch& stretch);

/// When the stretch lost its member: as told_losses(), else its last sign of life.
Seconds time_of_loss(const Stretch& stretch);

/// How long each timed iteration with all `workers` took, of those that were done for good: without
/// `warmup`, which are the first.
std::vector<Seconds> whole_iterations(const std::vector<Stretch>& stretches, int workers,
                                      int warmup);

/// How long the run's `iterations` would have taken with all workers, had nothing happened: those
/// of the `warmup` that all of them did as they were, and as many as are left at the median of
/// whole_iterations(). Tests and checkpoints aside.
Seconds undisturbed(const std::vector<Stretch>& stretches, int workers, int warmup, int iterations);

}  // namespace tandem::elastic
