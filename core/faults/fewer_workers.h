#pragma once

#include <optional>
#include <string>

#include "core/scenario/scenario.h"

namespace tandem {

// What a job does with fewer workers than it was planned with, the same in both worlds.

/// The same job with some of its workers, for so many timed iterations.
Scenario with_fewer(Scenario scenario, int workers, int iterations);

/// With n of N workers an iteration takes in n/N of the samples: how many iterations make up for
/// `left` with all of them. May be below 0.
int iterations_of_fewer(double left, int workers, int all);

/// Of so many workers that are there, those that take part where `group` hold a model together.
int whole_groups(int there, int group);

/// Of what so many workers are fewer, where training can't go on with them: "faults.recovery.
/// min_workers, which is 2".
std::optional<std::string> too_few_for(int there, int group, const RecoverySpec& recovery);

}  // namespace tandem
