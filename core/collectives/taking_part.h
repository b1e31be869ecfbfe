#pragma once

#include <cstddef>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/record/recorder.h"

namespace tandem {

/// The ranks of the group that take part in a collective, in its own order.
std::vector<int> group_ranks(const Schedule& schedule);

/// What a rank's part of a collective sends and receives, for who does it otherwise than by these
/// messages, or all at once: that is what a collective moves, however it is done.
Traffic traffic_of(const Schedule& schedule, std::size_t element_bytes);

}  // namespace tandem
