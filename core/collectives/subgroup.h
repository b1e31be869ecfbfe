#pragma once

#include <memory>
#include <vector>

#include "core/collectives/schedule.h"

namespace tandem {

/// `part`, one member's part of a collective over some ranks of a group: rank k of it is the
/// group's `ranks[k]`, whom its messages go to. The others start nothing. Requires different ranks,
/// as many as `part` has.
std::unique_ptr<const Schedule> subgroup(std::unique_ptr<const Schedule> part,
                                         std::vector<int> ranks);

}  // namespace tandem
