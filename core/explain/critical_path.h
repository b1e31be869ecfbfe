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

/// What the last period of the worker that ends it last consists of: from their end back, always to
/// what ended last of what had to be there, to the end of the iteration before. The longest part
/// first; their sum is the iterations' time.
std::vector<PathPart> critical_path(const EventGraph& graph, const TracedNetwork& network,
                                    const std::vector<Moment>& moments, const Scope& scope);

}  // namespace tandem
