#pragma once

#include <cstddef>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/record/recorder.h"

namespace tandem {

/// The ranks of the group that take part in a collective, in its own order.
std::vector<int> group_ranks(const Schedule& schedule);

/// Counts what a rank's part of a collective sends and receives, for who does it otherwise than by
/// these messages: that is what a collective moves, however it is done.
void record_messages(const Schedule& schedule, std::size_t element_bytes, Recorder& recorder);

}  // namespace tandem
