#pragma once

#include <deque>
#include <vector>

#include "core/collectives/collective_marks.h"
#include "core/collectives/execution.h"
#include "sim/executors/executor.h"
#include "sim/executors/in_memory.h"
#include "sim/member.h"
#include "sim/post_office.h"

namespace tandem {

/// Simulates every message of every round, with an actor a member in the background; or what is
/// done in the memory of a host.
class ExactExecutor final : public CollectiveExecutor {
 public:
  /// `records_rounds`: what collectives do in their rounds is recorded too.
  ExactExecutor(const Fabric& fabric, PostOffice& office, const std::vector<Member*>& members,
                bool records_rounds)
      : office_(office),
        members_(members),
        records_rounds_(records_rounds),
        lanes_(members.size()),
        in_memory_(fabric, members) {}

  void start(int rank, std::unique_ptr<const Schedule> schedule, View view,
             std::shared_ptr<SimOperation> operation) override;
  /// Who waits for its messages finds out through the post office.
  void leave(int rank) override { in_memory_.leave(rank); }

 private:
  struct Collective {
    std::unique_ptr<const Schedule> schedule;
    View view;
    std::shared_ptr<SimOperation> operation;
    MessageMark mark;
  };
  /// A member's collectives that have not begun, and the actor that works them off.
  struct Lane {
    std::deque<Collective> queue;
    Waiter waiter;
    bool has_actor = false;
    CollectiveMarks marks;
  };

  void run(int rank);
  std::exception_ptr execute(int rank, Collective& collective);
  void execute_rounds(int rank, Collective& collective);
  void execute_in_memory(int rank, Collective& collective);
  /// Of the messages that a round waits for, the longest.
  Seconds latency(int rank, const ScheduleExecution& execution) const;
  void post_round(int rank, const ScheduleExecution& execution, const CollectiveRound& round,
                  std::vector<Handle>& handles);
  void wait_for_round(int rank, const std::vector<Handle>& handles);

  PostOffice& office_;
  const std::vector<Member*>& members_;
  bool records_rounds_;
  std::deque<Lane> lanes_;  ///< by rank
  InMemoryCollectives in_memory_;
};

}  // namespace tandem
