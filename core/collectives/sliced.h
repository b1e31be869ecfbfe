#pragma once

#include <cstddef>
#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// In how many slices ranks run a collective by messages, where it has so many bytes and can be
/// sliced. On four ranks that gains a ring up to a tenth, and on two nothing (docs/performance.md);
/// below, to ask for twice as many messages takes longer than what is won.
constexpr int kSlices = 2;
constexpr std::size_t kSlicedBytes = 1 << 20;  ///< for each rank

inline bool is_large_enough_to_slice(const Schedule& schedule, std::size_t bytes) {
  return bytes >= kSlicedBytes * static_cast<std::size_t>(schedule.ranks());
}

/// Slice `slice` of `slices` of a collective: of each of its pieces the slice-th part. All slices
/// together, run beside each other, do what `schedule` does, and while one adds what has come in,
/// or waits for it, the wire carries another. `schedule` must outlive it.
std::unique_ptr<const Schedule> sliced(const Schedule& schedule, int slices, int slice);

/// Whether that holds: whether an element is of the same slice in all pieces of all ranks, as where
/// the chunks that move are the same in all rounds. All ranks come to the same answer; false where
/// the parts of the others aren't known.
bool can_be_sliced(const Schedule& schedule, int slices);

}  // namespace tandem
