#pragma once

#include <filesystem>
#include <functional>

#include "core/record/point_result.h"

namespace tandem {

/// Predicts one point with faults, each of its simulations in a process of its own:
///
/// - for every seed of FaultsSpec::repeats, without any fault, and then with one kind of fault more
///   at a time (slow devices, varying times, links, traffic). What the run gets longer by is what
///   that kind costs, so costs add up to the whole delay exactly; what two kinds cost only together
///   is the later one's.
/// - hosts that fail cut the run into segments (core/faults/failures.h), each simulated from its
///   own begin with who is left.
///
/// Times of the result are medians over the seeds, with bands; members, traces and links are those
/// of the first seed, where no host fails. `scratch`: a file that is free. Throws InputError and
/// RunError.
PointResult simulate_with_faults(const Scenario& scenario, const std::filesystem::path& scratch,
                                 const std::function<void(int done, int total)>& progress);

}  // namespace tandem
