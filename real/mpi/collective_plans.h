#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/record/recorder.h"
#include "real/mpi/shared/shared_collective.h"

namespace tandem::mpi {

/// How schedules that do alike can be run, and what comes of it.
class CollectivePlan {
 public:
  using Reaches = std::function<bool(int rank)>;
  CollectivePlan(const Schedule& schedule, const Reaches& reaches);

  /// Null where they have to be run by messages: not all their ranks are reached, or these don't
  /// all end alike. All ranks come to the same answer.
  const std::shared_ptr<const DirectPlan>& direct() const { return direct_; }
  /// As tandem::scratch_elements().
  std::size_t scratch_elements() const { return scratch_elements_; }
  /// All of them, where they are few; else none.
  std::span<const Round> rounds() const { return rounds_; }

  // What not all need is derived when it is first asked for, from any of these schedules.

  /// Whether they can be run by messages in this many slices, the same number at each call.
  bool can_be_sliced(const Schedule& schedule, int slices);
  /// As traffic_of().
  const Traffic& traffic(const Schedule& schedule, std::size_t element_bytes);

 private:
  std::shared_ptr<const DirectPlan> direct_;
  std::size_t scratch_elements_;
  std::vector<Round> rounds_;
  std::optional<bool> can_be_sliced_;
  std::size_t element_bytes_ = 0;
  Traffic traffic_;  ///< of elements of that size
};

/// The plans of schedules, kept: a training starts the same few collectives over and over, and to
/// derive how takes longer than to do a small one.
class CollectivePlans {
 public:
  /// `reaches` says of each rank, always the same, whether this one reaches its memory.
  explicit CollectivePlans(CollectivePlan::Reaches reaches) : reaches_(std::move(reaches)) {}

  /// Stays until the next call.
  CollectivePlan& of(const Schedule& schedule);

  bool reaches(int rank) const { return reaches_(rank); }

 private:
  struct Entry {
    ScheduleKey key;
    std::vector<int> ranks;  ///< of the group
    std::unique_ptr<CollectivePlan> plan;

    bool is_of(const ScheduleKey& other, const Schedule& schedule) const;
  };

  CollectivePlan::Reaches reaches_;
  std::vector<Entry> entries_;
  std::optional<CollectivePlan> unkept_;  ///< of a schedule without a key
};

}  // namespace tandem::mpi
