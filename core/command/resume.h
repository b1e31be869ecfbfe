#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/training/checkpoint/folder_lock.h"

namespace tandem {

/// Says for each point of a real run with `checkpoint` where its checkpoints are: the folder of
/// that key, or `out`/checkpoints; of several points each has a folder of its own in it. With
/// `resumes` it goes on from the newest that is whole and fits, which is printed, as are those that
/// are refused, where `prints`, after other commands and the last member of a killed run are gone.
/// Throws InputError where none can be used; and without `resumes` where there are some, which
/// would else be lost. Points that `is_done` is true of, by their place, are not run again, and
/// so have nothing to go on from. To be held for as long as the command may start jobs; none where
/// it does not print.
[[nodiscard]] std::vector<CommandLock> resolve_checkpoints(
    std::vector<Scenario>& points, const std::filesystem::path& out, bool resumes,
    const std::function<bool(std::size_t)>& is_done, bool prints = true);

}  // namespace tandem
