#pragma once

#include <string>
#include <vector>

#include "core/comm/worker.h"

namespace tandem {

/// To be called by every member. Rank 0 gets all members' hashes, or other texts of one length, by
/// rank; the others get none.
std::vector<std::string> gather_hashes(Worker& worker, const std::string& hash);

}  // namespace tandem
