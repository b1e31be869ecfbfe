#include "real/mpi/collective_plans.h"

#include <algorithm>
#include <utility>

#include "core/collectives/execution.h"
#include "core/collectives/sliced.h"
#include "core/collectives/taking_part.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kMostKept = 256;
constexpr int kMostRoundsKept = 64;  ///< of each

std::shared_ptr<const DirectPlan> make_direct(const Schedule& schedule,
                                              const CollectivePlan::Reaches& reaches) {
  DirectPlan plan{.ranks = group_ranks(schedule), .rank = schedule.rank(), .sums = {}};
  if (!std::ranges::all_of(plan.ranks, reaches)) return nullptr;
  auto sums = sums_of(schedule);
  if (!sums) return nullptr;
  plan.sums = std::move(*sums);
  return std::make_shared<const DirectPlan>(std::move(plan));
}

}  // namespace

CollectivePlan::CollectivePlan(const Schedule& schedule, const Reaches& reaches)
    : direct_(make_direct(schedule, reaches)),
      scratch_elements_(tandem::scratch_elements(schedule)) {
  if (schedule.rounds() > kMostRoundsKept) return;
  rounds_.resize(schedule.rounds());
  for (int k = 0; k < schedule.rounds(); ++k) rounds_[k] = schedule.round(k);
}

bool CollectivePlan::can_be_sliced(const Schedule& schedule, int slices) {
  if (!can_be_sliced_) can_be_sliced_ = tandem::can_be_sliced(schedule, slices);
  return *can_be_sliced_;
}

const Traffic& CollectivePlan::traffic(const Schedule& schedule, std::size_t element_bytes) {
  if (element_bytes_ != element_bytes) {
    traffic_ = traffic_of(schedule, element_bytes);
    element_bytes_ = element_bytes;
  }
  return traffic_;
}

bool CollectivePlans::Entry::is_of(const ScheduleKey& other, const Schedule& schedule) const {
  if (!(key == other)) return false;
  for (int k = 0; k < key.ranks; ++k) {
    if (ranks[k] != schedule.group_rank(k)) return false;
  }
  return true;
}

CollectivePlan& CollectivePlans::of(const Schedule& schedule) {
  const std::optional<ScheduleKey> key = schedule.key();
  if (!key) return unkept_.emplace(schedule, reaches_);
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.is_of(*key, schedule); });
  if (found != entries_.end()) return *found->plan;
  if (entries_.size() == kMostKept) entries_.erase(entries_.begin());
  entries_.push_back(
      {*key, group_ranks(schedule), std::make_unique<CollectivePlan>(schedule, reaches_)});
  return *entries_.back().plan;
}

}  // namespace tandem::mpi
