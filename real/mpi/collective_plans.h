#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/collectives/schedule.h"
#include "real/mpi/shared/shared_collective.h"

namespace tandem::mpi {

/// How schedules can be run, kept: a training starts the same few collectives over and over, and to
/// derive it takes longer than to do a small one.
class CollectivePlans {
 public:
  /// `reaches` says of each rank, always the same, whether this one reaches its memory.
  explicit CollectivePlans(std::function<bool(int rank)> reaches) : reaches_(std::move(reaches)) {}

  /// Null where the schedule has to be run by messages: not all its ranks are reached, or they
  /// don't all end alike. All ranks of it come to the same answer.
  std::shared_ptr<const DirectPlan> direct(const Schedule& schedule);

  bool reaches(int rank) const { return reaches_(rank); }

  /// Whether it can be run by messages in this many slices, the same number at each call.
  bool can_be_sliced(const Schedule& schedule, int slices);

 private:
  struct Entry {
    std::unique_ptr<const Schedule> schedule;                      ///< like those it is about
    std::optional<std::shared_ptr<const DirectPlan>> direct = {};  ///< none: not yet asked for
    std::optional<bool> can_be_sliced = {};
  };

  /// Null where a schedule like it can't be had.
  Entry* entry(const Schedule& schedule);
  std::shared_ptr<const DirectPlan> make_direct(const Schedule& schedule) const;

  std::function<bool(int rank)> reaches_;
  std::vector<Entry> entries_;
};

}  // namespace tandem::mpi
