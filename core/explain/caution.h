#pragma once

#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// A line of caution where what an explanation says rests on too little: on a single period of
/// iterations, or on periods of which an iteration took such `times`, in any order, that the middle
/// is no good word for all. Empty where there is nothing to say. `remedy`: what a run with more of
/// them needs, such as "trace.iterations=all".
std::string caution_of_times(std::vector<Seconds> times, const std::string& remedy);

}  // namespace tandem
