#pragma once

#include <optional>
#include <string>

#include "core/collectives/all_reduce.h"

namespace tandem {

/// Proves an all-reduce for one rank count and buffer size by running it symbolically, without any
/// backend: every element of every rank ends as the sum that holds each rank's contribution exactly
/// once, in the same order of additions on all ranks; no message goes unmatched, is of another size
/// than its receiver expects, or is waited for in a circle; and no piece of a round touches what
/// another piece of that round touches. Returns nothing where it holds, else one line that names
/// the rank, round and element where it first fails.
std::optional<std::string> check_all_reduce(const ScheduleFactory& factory, int ranks,
                                            std::size_t elements);

}  // namespace tandem
