#pragma once

#include "core/model/device_profile.h"
#include "real/calibrate/training_times.h"

namespace tandem::mpi {

/// Bytes a second that plain arithmetic moves.
struct Bandwidths {
  double reduction = 0;  ///< added to a buffer of a gradient bucket's size
  double memory = 0;     ///< read and written, in buffers larger than any cache; 0: what updates of
                         ///< the weights move, which a device's own memory has
};

/// The profile of a device on which `times` were measured for `graph`: its layers as they are, and
/// for other models and batch sizes the analytic model that fits them. An iteration of one worker
/// by this profile takes what `times` add up to.
DeviceProfile make_profile(const std::string& name, const std::string& source,
                           const LayerGraph& graph, int batch_size, const TrainingTimes& times,
                           const Bandwidths& bandwidths);

}  // namespace tandem::mpi
