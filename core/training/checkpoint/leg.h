#pragma once

namespace tandem {

/// Iterations of a training from one checkpoint to the next, [first, end); all of them where none
/// are made. Between two legs all members are at rest: every worker has done the same iterations,
/// and no message is under way, so that what each of them holds is the whole state of the job.
/// Algorithms in which workers wait for each other in every iteration come to that by themselves;
/// where each goes on as it can, members await what is still due of a leg, and count what that is
/// leg by leg. A leg begins as a training does, on the weights that are there.
struct Leg {
  int first = 0, end = 0;
  bool rests = false;  ///< a checkpoint follows, else the end of the training

  int iterations() const { return end - first; }
};

}  // namespace tandem
