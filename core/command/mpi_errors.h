#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/command/process.h"

namespace tandem {

/// What of the many lines of an MPI launcher, or of SimGrid, says why the job ended, as one line: a
/// rank's own "tandem: error: ..."; SimGrid's critical one; which rank was killed by which signal;
/// the first sentence of a framed message, such as that of too few slots; else the last line.
std::string launcher_message(const std::string& output);

/// A rank that died, or that others missed.
struct LostRank {
  int rank;
  std::string what;  ///< became of it: "was killed by signal 9 (Killed)"
};

/// Why a job did not do what it was started for.
struct JobFailure {
  std::string message;  ///< one line
  int exit_code = 1;    ///< kExitBadInput or kExitRunFailed
  std::optional<LostRank> lost = {};
};

/// The line in `error_file` where a rank left one, else launcher_message() of what is in `log`,
/// else how the process ended.
JobFailure job_failure(const ProcessEnd& end, const std::filesystem::path& error_file,
                       const std::filesystem::path& log);

}  // namespace tandem
