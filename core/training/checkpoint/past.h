#pragma once

#include <vector>

#include "core/record/recorder.h"
#include "core/scenario/scenario.h"
#include "core/training/checkpoint/member_file.h"

namespace tandem {

/// Visits what a member of the scenario's job has recorded, as part of its state.
void visit_past(StateVisitor& visitor, RecordedPast& past, const Scenario& scenario);

/// What the scenario's job goes on with where `saved` are others than its members: of what those
/// recorded in `files`, by rank, the evaluations and what all of them did. Throws RunError where
/// the files lack it.
RecordedPast inherited_past(const std::vector<MemberFile>& files, const Membership& saved,
                            const Scenario& scenario);

}  // namespace tandem
