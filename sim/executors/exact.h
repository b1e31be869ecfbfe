#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/collectives/collective_marks.h"
#include "core/collectives/execution.h"
#include "core/collectives/sliced.h"
#include "sim/executors/executor.h"
#include "sim/executors/in_memory.h"
#include "sim/member.h"
#include "sim/post_office.h"

namespace tandem {

/// Simulates every message of every round, with an actor a member in the background; or what is
/// done in the memory of a host. Large collectives go in slices, as between real ranks, where
/// trains of packets tell what that changes: flows of one member share a link as one of them would
/// take it.
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

  /// A collective that is under way, or a slice of it.
  struct Part {
    Part(const Schedule& schedule, const View& view, const CollectiveRound& round)
        : scratch(scratch_of(schedule, view)),
          execution(schedule, view, scratch.view()),
          round(round) {}
    /// Where the collective failed there are messages left, for which nobody waits any more.
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    Buffer scratch;
    ScheduleExecution execution;
    CollectiveRound round;
    std::vector<Handle> handles = {};  ///< of the messages of its round
  };

  void run(int rank);
  std::exception_ptr execute(int rank, Collective& collective);
  void execute_rounds(int rank, Collective& collective);
  void execute_in_memory(int rank, Collective& collective);
  bool is_sliced(const Collective& collective);
  /// Of the messages that a round waits for, the longest.
  Seconds latency(int rank, const ScheduleExecution& execution) const;
  /// The part's next, if there is one.
  void post_round(int rank, Part& part);
  /// A part all of whose messages are through, once there is one; null where all are done.
  Part* wait_for_round(int rank, std::deque<Part>& parts);
  /// How many of a round's messages aren't through.
  int pending(int rank, const Part& part) const;
  void add(int rank, Collective& collective, const Part& part);

  PostOffice& office_;
  const std::vector<Member*>& members_;
  bool records_rounds_;
  std::deque<Lane> lanes_;  ///< by rank
  InMemoryCollectives in_memory_;
  /// By name, ranks, elements and option (ScheduleKey).
  std::map<std::tuple<std::string_view, int, std::size_t, std::size_t>, bool> can_be_sliced_;
};

}  // namespace tandem
