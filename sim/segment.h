#pragma once

#include <cstdint>
#include <vector>

#include "core/base/seconds.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Where in a job that lost members a simulation begins, and with whom.
struct Segment {
  Seconds begin = 0;       ///< since the job began, as its faults' times
  int iteration = 0;       ///< that are done by then
  int workers = 0;         ///< of the whole job; 0: the scenario's own
  std::vector<int> ranks;  ///< in it, of the workers that are left; empty: all are
};

/// Of what is drawn at random in a segment: what has been drawn before is not drawn again.
std::uint64_t segment_seed(const Scenario& scenario, const Segment& segment);

/// Members' ranks in the whole job, by rank in the segment, of which `scenario` is.
std::vector<int> original_ranks(const Scenario& scenario, const Segment& segment);

/// As the segment counts time or iterations, which begins later than the job.
FaultWindow in_segment(FaultWindow window, const Segment& segment);

/// The scenario of the whole job.
Scenario whole_job(Scenario scenario, const Segment& segment);

}  // namespace tandem
