#pragma once

#include <filesystem>
#include <functional>

#include "core/record/point_result.h"
#include "real/mpi/session.h"

namespace tandem::mpi {

/// Runs one scenario point for real: this process is one of its members. Collective over
/// MPI_COMM_WORLD; the result is complete on rank 0, and empty on the others. `progress` is called
/// on rank 0, after each iteration. `on_error` is called with what a member throws, while the
/// others can't know of it yet, and must not return. Throws InputError where the job has another
/// number of ranks than the scenario members, and what bad scenarios and data raise.
PointResult run_point(const Scenario& scenario, const Session& session,
                      const std::function<void(int done, int total)>& progress,
                      const std::function<void(std::exception_ptr)>& on_error);

}  // namespace tandem::mpi
