#include "core/command/running_point.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/command/mpi_errors.h"

namespace tandem {
namespace {

const PointFiles& written(const Scenario& point, const PointFiles& files) {
  std::filesystem::create_directories(files.folder);
  write_file_atomically(files.point(), to_json(point).dump(2));
  return files;
}

}  // namespace

RunningPoint::RunningPoint(std::size_t index, const Scenario& point, const Backend& backend,
                           PointFiles files)
    : index_(index),
      files_(written(point, files)),
      news_(files_.news()),
      process_(backend.command(point, files_), files_.log()) {
  if (backend.starts_ranks) process_.set_folder_of_ranks(files_.folder);
}

bool RunningPoint::succeeded() {
  return process_.poll()->exit_code == 0 && std::filesystem::exists(files_.result());
}

SweepFailure RunningPoint::failure() {
  const JobFailure failure = job_failure(*process_.poll(), files_.error(), files_.log());
  return {.point = index_, .message = failure.message, .exit_code = failure.exit_code};
}

}  // namespace tandem
