#pragma once

#include <functional>

#include "core/comm/worker.h"
#include "core/training/experiment.h"

namespace tandem::mpi {

/// All-reduces that keep a job busy.
struct Load {
  std::size_t gradient_bytes;  ///< of all gradients
  std::size_t bytes;           ///< of each all-reduce
  Seconds seconds;             ///< that one takes where nothing is computed
};

/// Of each second that such all-reduces take, what a worker loses of what it computes meanwhile:
/// trains `experiment`'s model on both ranks of `worker`'s job, each by itself, some iterations
/// without and as many with all-reduces in the background, by turns. The median of those, the mean
/// over both ranks, and at least 0. Collective; `progress` gets what share is done. `experiment` is
/// one of payload depth.
double measure_compute_loss(const Experiment& experiment, Worker& worker, const Load& load,
                            const std::function<void(double share)>& progress);

}  // namespace tandem::mpi
