#pragma once

#include <filesystem>
#include <vector>

#include "core/scenario/scenario.h"

namespace tandem {

/// Says for each point of a real run with `checkpoint` where its checkpoints are: the folder of
/// that key, or `out`/checkpoints; of several points each has a folder of its own in it. With
/// `resumes` it goes on from the newest that is whole and fits, which is printed, as are those that
/// are refused, where `prints`, after the last member of a killed run is gone. Throws InputError
/// where none can be used; and without `resumes` where there are some, which would else be lost.
void resolve_checkpoints(std::vector<Scenario>& points, const std::filesystem::path& out,
                         bool resumes, bool prints = true);

}  // namespace tandem
