#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/collectives/schedule.h"
#include "real/mpi/shared/direct_collective.h"

namespace tandem::mpi {

/// How schedules can be run, kept: a training starts the same few collectives over and over, and to
/// derive it takes longer than to do a small one.
class CollectivePlans {
 public:
  explicit CollectivePlans(const Node& node) : node_(node) {}

  /// Null where the schedule has to be run by messages: not all its ranks are on this host, or they
  /// don't all end alike. All ranks of it come to the same answer.
  std::shared_ptr<const DirectPlan> direct(const Schedule& schedule);

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

  const Node& node_;
  std::vector<Entry> entries_;
};

}  // namespace tandem::mpi
