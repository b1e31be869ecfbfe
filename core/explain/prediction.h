#pragma once

#include <optional>

#include "core/explain/replay.h"

namespace tandem {

/// How long an iteration takes after `change`, as iteration_time(). None where rounding decides it:
/// where durations that are longer or shorter by up to a billionth, each by another share, change
/// it by far more. Where members serve whoever comes first, who is first by a hair can decide who
/// is first by a mile some iterations later; and what a simulation rounds, a replay rounds
/// otherwise. Throws as replay() and iteration_time().
std::optional<Seconds> predicted_time(const EventGraph& graph, const TracedNetwork& network,
                                      const Change& change, const Scope& scope);

}  // namespace tandem
