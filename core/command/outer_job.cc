#include "core/command/outer_job.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/command/process.h"
#include "core/command/resume.h"
#include "core/command/sweep_result.h"
#include "core/command/work_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return std::atoi(text);
}

// All ranks have to name the same file, beside which the first that fails leaves why; the folder is
// rank 0's.
std::string job_folder() {
  return std::string(kWorkFolderPrefix) + "job";
}
fs::path shared_result(const fs::path& out) {
  return fs::absolute(out) / job_folder() / "result";
}

// A file that exists only as long as we or our child hold it: a rank may be killed at any time.
class PointInMemory {
 public:
  explicit PointInMemory(const Scenario& point) : file_(memfd_create("tandem-point", 0)) {
    const std::string text = to_json(point).dump();
    if (file_ < 0 || write(file_, text.data(), text.size()) != ssize_t(text.size()))
      throw RunError("can't keep the point in memory");
  }
  PointInMemory(const PointInMemory&) = delete;
  PointInMemory& operator=(const PointInMemory&) = delete;
  ~PointInMemory() { close(file_); }

  fs::path path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

int run_rank(const Scenario& scenario, const fs::path& result) {
  const PointInMemory point(scenario);
  Process process({sibling_program("tandem-run"), point.path(), "--result", result}, std::nullopt);
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

int run_in_outer_job(const ScenarioFile& file, int rank, const fs::path& out, const RunInfo& info,
                     bool resumes) {
  if (file.points.size() > 1)
    throw InputError(
        fmt::format("{}: this sweep has {} points, but a job that is already started "
                    "can run only one; choose it with --set, or leave the starting of "
                    "jobs to `tandem run`",
                    file.path, file.points.size()));
  std::vector<Scenario> points = file.points;
  const std::vector<CommandLock> held = resolve_checkpoints(
      points, out, resumes, [](std::size_t) { return false; }, rank == 0);
  const Scenario& point = points.at(0);
  const fs::path result = shared_result(out);
  if (rank > 0) return run_rank(point, result);
  const WorkFolder work(out, job_folder());
  const int exit_code = run_rank(point, result);
  if (exit_code != 0) return exit_code;  // the rank that failed has said why
  SweepOutcome outcome;
  outcome.points.push_back(PointResult::load(result, point));
  std::vector<PointResult> results = outcome.take_results();
  return finish_sweep(results, outcome, out, info);
}

}  // namespace tandem
