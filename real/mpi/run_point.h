#pragma once

#include <filesystem>
#include <functional>

#include "core/record/journal.h"
#include "core/record/point_result.h"
#include "real/mpi/session.h"

namespace tandem::mpi {

/// How a point is run.
struct RunSettings {
  /// Called on rank 0, after each iteration.
  std::function<void(int done, int total)> progress;
  /// Called with what a member throws, while the others can't know of it yet; must not return.
  std::function<void(std::exception_ptr)> on_error;
  Journal journal{{}};                    ///< of a job that others may have to go on with
  std::optional<Seconds> job_began = {};  ///< since 1970; by default with this run's training
  double share = 1;                       ///< as Experiment's
};

/// Runs one scenario point for real: this process is one of its members. Collective over
/// MPI_COMM_WORLD; the result is complete on rank 0, and empty on the others. Of its faults, ranks
/// that fail do, and those that are slow are. Throws InputError where the job has another number of
/// ranks than the scenario members, and what bad scenarios and data raise.
PointResult run_point(const Scenario& scenario, const Session& session,
                      const RunSettings& settings);

}  // namespace tandem::mpi
