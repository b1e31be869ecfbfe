#pragma once

#include <functional>
#include <vector>

#include "core/comm/worker.h"

namespace tandem::mpi {

/// How long a message of a size takes one way: half the median round trip.
struct PingPongSample {
  std::size_t bytes = 0;
  Seconds seconds = 0;
};

/// Rank 0 and 1 of `worker`'s job send each other messages of 1 B to 16 MiB. Returns the samples on
/// rank 0, nothing elsewhere. `progress` gets what share is done.
std::vector<PingPongSample> ping_pong(Worker& worker,
                                      const std::function<void(double share)>& progress);

/// seconds = latency + bytes / bandwidth
struct LinkFit {
  Seconds latency = 0;
  double bandwidth = 0;  ///< bytes/s
  double residual = 0;   ///< root mean square of (fit - sample) / sample
};

/// The least squares of relative errors, so that small messages count as much as large ones, among
/// the lines whose latency is not negative. Requires samples of two sizes at least. Throws RunError
/// where larger messages don't take longer.
LinkFit fit_link(const std::vector<PingPongSample>& samples);

}  // namespace tandem::mpi
