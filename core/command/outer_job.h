#pragma once

#include <filesystem>
#include <optional>

#include "core/record/result_folder.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// This process's rank where someone else's mpirun or srun started it as one of a job; nothing
/// where a person or a script did.
std::optional<int> outer_job_rank();

/// Runs the scenario's one point as this rank of the outer job: a tandem-run that inherits the
/// launcher's environment does the work, and rank 0 writes the results; with `resumes` it goes on
/// from a checkpoint. Throws InputError for a
/// sweep, since a job can be started only once. Returns the exit code.
int run_in_outer_job(const ScenarioFile& file, int rank, const std::filesystem::path& out,
                     const RunInfo& info, bool resumes);

}  // namespace tandem
