#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// Slice `slice` of `slices` of a collective: of each of its pieces the slice-th part. All slices
/// together, run beside each other, do what `schedule` does, and while one adds what has come in,
/// or waits for it, the wire carries another. `schedule` must outlive it.
std::unique_ptr<const Schedule> sliced(const Schedule& schedule, int slices, int slice);

/// Whether that holds: whether an element is of the same slice in all pieces of all ranks, as where
/// the chunks that move are the same in all rounds. All ranks come to the same answer; false where
/// the parts of the others aren't known.
bool can_be_sliced(const Schedule& schedule, int slices);

}  // namespace tandem
