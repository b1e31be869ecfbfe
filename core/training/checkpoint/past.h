#pragma once

#include <vector>

#include "core/record/recorder.h"
#include "core/training/checkpoint/member_file.h"

namespace tandem {

/// Visits what a member has recorded, as part of its state.
void visit_past(StateVisitor& visitor, RecordedPast& past);

/// Throws RunError where it is none of a training's first `iterations`, as what somebody forged.
void require_past_of(const RecordedPast& past, int iterations);

/// What others than `saved` go on with: of what those recorded in `files`, by rank, the evaluations
/// and what all of them did, with `samples` an iteration. Throws RunError where that is none of a
/// training's first `iterations`.
RecordedPast inherited_past(const std::vector<MemberFile>& files, const Membership& saved,
                            int iterations, double samples);

}  // namespace tandem
