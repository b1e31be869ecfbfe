#pragma once

#include <vector>

#include "core/training/experiment.h"

namespace tandem {

/// Results of up to so many members are kept one by one.
inline constexpr std::size_t kListedMembers = 1024;

/// Of more than kListedMembers, leaves the traced ones as they are, and of the others one for all
/// that had the same times in every iteration (MemberResult::count), in the order of the first.
/// The most that any of them held stands for the peaks of all.
void merge_alike(std::vector<MemberResult>& members);

}  // namespace tandem
