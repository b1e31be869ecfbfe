#pragma once

#include <string>

#include "core/record/traced_point.h"

namespace tandem {

/// What a trace shows of a point, as a Paje trace (de Kergommeaux, Stein and Bernard, "Paje, an
/// interactive visualization tool for tuning multi-threaded parallel applications", 2000), which
/// ViTE and PajeNG read: the job contains a container a member, that one a lane for its activity
/// and one for its communication; states are in the lanes, and a link leads from each send to its
/// receive. Times are in seconds from the first span on, and ascend from line to line.
///
/// A lane has one state at a time: where several spans overlap, it is named after all kinds of
/// them, and has the detail and iteration of the one that began first. Spans shorter than a
/// nanosecond are left out, and a link whose receive ended, by clocks that disagree, before its
/// send began, ends there.
std::string paje_trace(const TracedPoint& point);

}  // namespace tandem
