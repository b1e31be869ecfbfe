#include "real/mpi/collective_plans.h"

#include <algorithm>
#include <utility>

#include "core/collectives/sliced.h"
#include "core/collectives/taking_part.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kMostKept = 256;

bool are_alike(const Schedule& a, const Schedule& b) {
  if (a.elements() != b.elements() || a.ranks() != b.ranks() || a.rounds() != b.rounds() ||
      a.name() != b.name())
    return false;
  for (int rank = 0; rank < a.ranks(); ++rank) {
    if (a.group_rank(rank) != b.group_rank(rank)) return false;
  }
  for (int k = 0; k < a.rounds(); ++k) {
    if (!(a.round(k) == b.round(k))) return false;
  }
  return true;
}

}  // namespace

CollectivePlans::Entry* CollectivePlans::entry(const Schedule& schedule) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return are_alike(*entry.schedule, schedule); });
  if (found != entries_.end()) return &*found;
  auto same = schedule.part_of(schedule.rank());
  if (!same) return nullptr;
  if (entries_.size() == kMostKept) entries_.erase(entries_.begin());
  return &entries_.emplace_back(Entry{.schedule = std::move(same)});
}

std::shared_ptr<const DirectPlan> CollectivePlans::direct(const Schedule& schedule) {
  if (!reaches_(schedule.group_rank(schedule.rank()))) return nullptr;
  Entry* kept = entry(schedule);
  if (kept == nullptr) return nullptr;
  if (!kept->direct) kept->direct = make_direct(schedule);
  return *kept->direct;
}

bool CollectivePlans::can_be_sliced(const Schedule& schedule, int slices) {
  Entry* kept = entry(schedule);
  if (kept == nullptr) return tandem::can_be_sliced(schedule, slices);
  if (!kept->can_be_sliced) kept->can_be_sliced = tandem::can_be_sliced(schedule, slices);
  return *kept->can_be_sliced;
}

std::shared_ptr<const DirectPlan> CollectivePlans::make_direct(const Schedule& schedule) const {
  DirectPlan plan{.ranks = group_ranks(schedule), .rank = schedule.rank(), .sums = {}};
  if (!std::ranges::all_of(plan.ranks, reaches_)) return nullptr;
  auto sums = sums_of(schedule);
  if (!sums) return nullptr;
  plan.sums = std::move(*sums);
  return std::make_shared<const DirectPlan>(std::move(plan));
}

}  // namespace tandem::mpi
