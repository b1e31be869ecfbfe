#pragma once

#include <string>
#include <vector>

#include "core/explain/replay.h"

namespace tandem {

/// A part of the critical path that has one cause.
struct PathPart {
  std::string cause;  ///< "compute: backward", "latency: send", "transfer: link backbone", ...
  Seconds time = 0;
};

/// What a period consists of, in the mean over workers and typical_periods(): of each worker from
/// its end back, always to what ended last of what had to be there, to the end of the iteration
/// before. The longest part first; their sum is iteration_time() times the period.
std::vector<PathPart> critical_path(const EventGraph& graph, const TracedNetwork& network,
                                    const std::vector<Moment>& moments, const Scope& scope);

}  // namespace tandem
