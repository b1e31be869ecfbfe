#pragma once

#include <filesystem>

namespace tandem {

/// SIGKILL to the ranks on this machine, processes called tandem-run, that have a path within
/// `folder` in their command lines: those that outlive their launcher, such as ranks that are
/// stopped. Throws std::invalid_argument where that is no absolute path, or the root.
void kill_ranks_in(const std::filesystem::path& folder);

}  // namespace tandem
