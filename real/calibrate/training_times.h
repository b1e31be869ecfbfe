#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "core/base/spread.h"
#include "core/training/experiment.h"

namespace tandem::mpi {

/// A kernel's median time in training.
struct KernelTime {
  Kernel kernel;  ///< without its body
  Seconds seconds = 0;
  double spread = 0;  ///< third quartile less first, by the median
};

/// What whole iterations of one worker take: medians, and the mean of them over all ranks.
struct TrainingTimes {
  std::vector<KernelTime> kernels;
  Seconds between_kernels = 0;  ///< what of an iteration no kernel accounts for
  Spread spread;                ///< of whole iterations, of all ranks together
};

/// The same training, by one worker that leaves out tests; of one pass a step, which is what
/// kernels and what goes on between them are measured of.
Experiment by_itself(const Experiment& experiment);

/// Trains `experiment`'s model on every rank by itself, all at the same time, so that caches and
/// memory are as loaded as in a job, and times each kernel after warm-up: in 30 iterations or those
/// of 10 s, whatever are more; where 30 take more than 40 s, in those of 40 s, but five at least.
/// Collective over `ranks`. `progress` gets what share is done. Kernels refer to experiment.graph.
/// `experiment` is one of payload depth.
TrainingTimes measure_training(const Experiment& experiment, MPI_Comm ranks,
                               const std::function<void(double share)>& progress);

/// Shares out an iteration of a device that goes on while the next kernels are asked for among
/// kernels that were waited for one by one: each has its share of what they took beyond the wait,
/// which is what the shortest of a layer forward took, or of a tenth where that is more.
void share_out(TrainingTimes& times, Seconds iteration);

/// Shares out what whole iterations of the same training take on such a device, which it measures
/// likewise, and sets their spread.
void fit_to_running(TrainingTimes& times, const Experiment& experiment, MPI_Comm ranks);

}  // namespace tandem::mpi
