#pragma once

#include <string>
#include <vector>

#include "core/record/recorder.h"

namespace tandem {

/// A time in which a member's lane does the same.
struct LaneState {
  Seconds begin = 0, end = 0;
  std::string kind;  ///< a computation's phase, else the span's name; of several, "a + b"
  const Span* first = nullptr;  ///< of the spans that it consists of, the one that began first
};

/// The states, one after the other, of a lane whose spans may overlap; times are whole
/// nanoseconds, and spans shorter than one are left out. The spans must outlive them.
std::vector<LaneState> lane_states(std::vector<const Span*> spans);

}  // namespace tandem
