#include "core/command/backend.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/command/mpi_errors.h"
#include "core/command/process.h"

namespace tandem {

std::vector<std::string> point_arguments(const std::string& program, const PointFiles& files) {
  return {program, files.point(), "--result", files.result(), "--progress", files.progress()};
}

std::string sibling_program(const std::string& name) {
  const std::filesystem::path program = executable_folder() / name;
  if (!std::filesystem::exists(program))
    throw InputError(fmt::format("{}: there is no such program; this build of tandem goes without",
                                 program.string()));
  return program;
}

void run_check(const std::vector<std::string>& command, const PointFiles& files) {
  const ProcessEnd end = Process(command, files.log()).wait();
  if (end.exit_code == 0) return;
  const JobFailure failure = job_failure(end, files.error(), files.log());
  if (failure.exit_code == kExitBadInput) throw InputError(failure.message);
  throw RunError(failure.message);
}

}  // namespace tandem
