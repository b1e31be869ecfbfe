#pragma once

#include <memory>
#include <vector>

#include "core/collectives/schedule.h"
#include "real/mpi/shared/direct_collective.h"

namespace tandem::mpi {

/// The plans of schedules, kept: a training starts the same few collectives over and over, and to
/// derive one takes longer than to do a small one.
class DirectPlans {
 public:
  explicit DirectPlans(const Node& node) : node_(node) {}

  /// Null where the schedule has to be run by messages: not all its ranks are on this host, or they
  /// don't all end alike. All ranks of it come to the same answer.
  std::shared_ptr<const DirectPlan> plan(const Schedule& schedule);

 private:
  struct Entry {
    std::unique_ptr<const Schedule> schedule;  ///< as that which it was made for
    std::shared_ptr<const DirectPlan> plan;
  };

  std::shared_ptr<const DirectPlan> make(const Schedule& schedule) const;

  const Node& node_;
  std::vector<Entry> entries_;
};

}  // namespace tandem::mpi
