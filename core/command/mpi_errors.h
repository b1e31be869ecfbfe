#pragma once

#include <filesystem>
#include <string>

namespace tandem {

/// What of an MPI launcher's many lines says why the job ended, as one line: a rank's own
/// "tandem: error: ..."; which rank was killed by which signal; the first sentence of a framed
/// message, such as that of too few slots; else the last line.
std::string launcher_message(const std::string& output);

/// Why a job ended: the line in `error_file` where a rank left one, else launcher_message() of what
/// is in `log`.
std::string job_failure(const std::filesystem::path& error_file, const std::filesystem::path& log);

}  // namespace tandem
