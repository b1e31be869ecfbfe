#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// Chrome trace events of the members' recorded spans: one process a member, with lanes for
/// computing, waiting and communicating. Opens in Perfetto.
std::string chrome_trace(const std::vector<PointResult>& points);

}  // namespace tandem
