#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/scenario/scenario.h"
#include "real/mpi/computing_device.h"
#include "real/mpi/session.h"

namespace tandem::mpi {

/// Measures this machine for the scenario's model and batch size and writes FOLDER/platform.xml,
/// the calibration that it names, and, but for a paced scenario, the device profile that it names,
/// FOLDER/devices/HOST.yaml, or HOST_cuda_PRECISION.yaml of a GPU. `timed` computes, each
/// kernel by itself, and `running` as in a run. Collective over MPI_COMM_WORLD; rank 0 writes and
/// calls `progress`. What messages take is the median of this job and `others`, which
/// calibrate_messages() wrote. Throws InputError where the job has other than two ranks or the
/// folder can't be written.
void calibrate(const ScenarioFile& scenarios, const ComputingDevice& timed,
               const ComputingDevice& running, const Session& session,
               const std::vector<std::filesystem::path>& others,
               const std::filesystem::path& folder,
               const std::function<void(int done, int total)>& progress);

/// Measures what messages take in this job, or only what those of up to so many bytes take one way,
/// and writes a calibration of nothing else, for those of other jobs to take in; without samples
/// where its ranks share a host's memory.
void calibrate_messages(const Session& session, const std::filesystem::path& file,
                        std::optional<std::size_t> one_way_up_to,
                        const std::function<void(int done, int total)>& progress);

}  // namespace tandem::mpi
