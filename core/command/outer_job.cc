#include "core/command/outer_job.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/command/process.h"
#include "core/command/sweep.h"
#include "core/command/work_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return std::atoi(text);
}

// All ranks have to name the same file beside the result, where the first that fails leaves why;
// only rank 0's need exist.
fs::path shared_result(const fs::path& out) {
  return fs::absolute(out) / ".tandem-result.json";
}

std::vector<std::string> rank_command(const fs::path& point, const fs::path& result) {
  return {sibling_program("tandem-run"), point, "--result", result};
}

// Ends with the object, whether the rank succeeds or not.
struct SharedFiles {
  fs::path result;
  ~SharedFiles() {
    std::error_code ignored;
    fs::remove(result, ignored);
    fs::remove(result.string() + ".error", ignored);
  }
};

int run_rank(const Scenario& point, const fs::path& out) {
  const WorkFolder work(out);
  write_file_atomically(work.path() / "point.json", to_json(point).dump());
  Process process(rank_command(work.path() / "point.json", shared_result(out)), std::nullopt);
  return process.wait().exit_code;
}

}  // namespace

std::optional<int> outer_job_rank() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return number_in_environment("OMPI_COMM_WORLD_RANK");
  if (std::getenv("PMI_SIZE")) return number_in_environment("PMI_RANK");
  // A batch script has a task number too, but only srun's tasks have a step's.
  if (std::getenv("SLURM_NTASKS") && std::getenv("SLURM_STEP_ID"))
    return number_in_environment("SLURM_PROCID");
  return std::nullopt;
}

int run_in_outer_job(const ScenarioFile& file, int rank, const fs::path& out, const RunInfo& info) {
  if (file.points.size() > 1)
    throw InputError(
        fmt::format("{}: this sweep has {} points, but a job that is already started "
                    "can run only one; choose it with --set, or leave the starting of "
                    "jobs to `tandem run`",
                    file.path, file.points.size()));
  const Scenario& point = file.points.at(0);
  if (rank > 0) return run_rank(point, out);
  const SharedFiles files{shared_result(out)};
  const int exit_code = run_rank(point, out);
  if (exit_code != 0) return exit_code;  // the rank that failed has said why
  SweepOutcome outcome;
  outcome.results.push_back(PointResult::load(files.result, point));
  return finish_sweep(outcome, 1, out, info);
}

}  // namespace tandem
