#pragma once

#include <vector>

#include "sim/simgrid_compat.h"

namespace tandem {

/// Bytes that a link lets through at once after a rest: its property `burst`, else 0. Throws
/// InputError where that is no number of bytes.
double burst_of(const simgrid::s4u::Link& link);

/// The least of the links that have one; 0 where none has.
double burst_of(const std::vector<simgrid::s4u::Link*>& links);

/// Why what takes a link's rate for constant refuses one that has any.
inline constexpr const char* kBurstRefusal =
    "a link lets bursts through, which depend on when it rested";

}  // namespace tandem
