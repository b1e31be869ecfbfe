#pragma once

#include <filesystem>
#include <string>

namespace tandem::mpi {

/// Where the ranks of a failing job leave the reason for whoever started it.
std::filesystem::path error_file(const std::filesystem::path& result);

/// Writes `line` to `file`, whole or not at all, unless another rank was faster. Returns whether it
/// was this one. An empty path, or a folder that can't be written, is nobody's: true.
bool write_first(const std::filesystem::path& file, const std::string& line);

}  // namespace tandem::mpi
