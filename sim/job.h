#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine.h"
#include "sim/executors/choose.h"
#include "sim/worker.h"

namespace tandem {

struct JobOptions {
  Depth depth = Depth::kSizes;
  ExecutorKind executor = ExecutorKind::kAuto;
  std::vector<MemberDevice> devices;  ///< one a member
  /// Of each member, an index into Engine::hosts(); empty: one each, in the platform's order.
  std::vector<int> hosts = {};
  bool starts_together = true;
  std::vector<CollectiveUse> collectives;  ///< the distinct ones that members start
  int first_traced = 0;                    ///< as Recorder
  int traced = 0;
};

/// A job in the simulated world.
class Job {
 public:
  /// `engine` must outlive it. Throws InputError where the platform has too few hosts.
  Job(Engine& engine, JobOptions options);

  /// Runs `member` once a rank, in simulated time, until all have ended. Throws what a member
  /// threw, preferring any other to PeerLost, which is only the echo of another's end; RunError
  /// naming the ranks that wait for what never comes, or whose host failed, or a message that is
  /// left over where all ended as they should. Once a job.
  void run(const std::function<void(Worker&)>& member);

  const Recorder& recorder(int rank) const { return members_[rank]->recorder; }
  const ExecutorChoice& executor() const { return choice_; }
  /// Messages sent by all members, whether simulated one by one or not.
  std::uint64_t messages() const;

 private:
  /// How a member's life went.
  struct Life {
    std::exception_ptr error;
    bool ended = false;
  };

  void live(int rank, const std::function<void(Worker&)>& member);
  void leave(int rank);
  void note_deadlock();
  void report() const;

  Engine& engine_;
  JobOptions options_;
  Fabric fabric_;
  std::vector<std::unique_ptr<Member>> owned_members_;
  std::vector<Member*> members_;  ///< by rank
  std::unique_ptr<PostOffice> office_;
  ExecutorChoice choice_;
  std::unique_ptr<CollectiveExecutor> executor_;
  std::vector<Life> lives_;
  std::string deadlock_;
};

}  // namespace tandem
