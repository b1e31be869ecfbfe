#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace tandem {

/// Throws InputError, naming the place, where a fault befalls a rank that no point of `file` has.
/// `overrides` are those that it was loaded with. A point alone may lack a rank that others of its
/// sweep have.
void require_known_ranks(const ScenarioFile& file, const std::vector<Override>& overrides);

}  // namespace tandem
