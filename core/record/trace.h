#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// When time is 0: when the job began, or, so that points can be laid side by side, with each
/// point's first span.
enum class TraceClock { kOfJob, kOfTrace };

/// Chrome trace events of the members' recorded spans: one process a member, with lanes for
/// computing, waiting and communicating, the last in as many tracks as overlap there
/// (trace_tracks.h). Opens in Perfetto.
std::string chrome_trace(const std::vector<PointResult>& points,
                         TraceClock clock = TraceClock::kOfJob);

}  // namespace tandem
