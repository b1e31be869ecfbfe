#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine.h"
#include "sim/executors/choose.h"
#include "sim/short_cut_failed.h"
#include "sim/worker.h"

namespace tandem {

struct JobOptions {
  Depth depth = Depth::kSizes;
  ExecutorKind executor = ExecutorKind::kAuto;
  std::vector<MemberDevice> devices;  ///< one a member; of a folded job the first one's
  /// Of each member, an index into Engine::hosts(); empty: one each, in the platform's order.
  std::vector<int> hosts = {};
  /// Where all workers are alike (folding.h), who is run: `devices` are theirs, in their places.
  /// `hosts` has to be empty then.
  std::optional<Places> folded = {};
  Circumstances circumstances = {};
  std::uint64_t seed = 0;                  ///< of how messages differ that go by trains
  bool by_trains = true;                   ///< messages go so where TrainNetwork fits
  std::vector<CollectiveUse> collectives;  ///< the distinct ones that members start
  TracedIterations traced = {};
  bool traces_rounds = false;                    ///< TraceSpec::rounds
  std::function<bool(int rank)> is_traced = {};  ///< empty: all are
};

class TokenBuckets;

/// A job in the simulated world.
class Job {
 public:
  /// `engine` must outlive it. Throws InputError where the platform has too few hosts, and
  /// ShortCutFailed where the members of a folded job are not alike.
  Job(Engine& engine, JobOptions options);

  /// Runs `member` once a rank, in simulated time, until all have ended. Throws what a member
  /// threw, preferring any other to PeerLost, which is only the echo of another's end:
  /// ShortCutFailed where `auto` chose fused, or the job is folded, and that turned out not to
  /// hold; RunError naming the ranks that wait for what never comes, or a message that is left over
  /// where all ended as they should; InputError where the platform has a host of theirs fail. Once
  /// a job.
  void run(const std::function<void(Worker&)>& member);

  /// `act` is called when the last member has ended, and what goes on beside them still does. Goes
  /// before run().
  void at_end(std::function<void()> act) { at_end_ = std::move(act); }

  const Recorder& recorder(int rank) const { return members_[places_.place(rank)]->recorder; }
  const ExecutorChoice& executor() const { return choice_; }
  bool goes_by_trains() const;
  /// What was simulated one by one: messages, and times that a member slept or waited.
  std::uint64_t events() const;
  /// What messages put on the links; of a folded job nothing.
  LinkLoads& loads() { return fabric_.loads(); }
  /// Of the links that let bursts through.
  TokenBuckets& shapers();

 private:
  /// How a member's life went.
  struct Life {
    std::exception_ptr error;
    bool ended = false;
  };

  void live(int place, const std::function<void(Worker&)>& member);
  void leave(int place);
  void note_deadlock();
  void report() const;
  [[noreturn]] void rethrow(const std::exception_ptr& error) const;

  void fold();
  void choose();

  Engine& engine_;
  JobOptions options_;
  Places places_;
  Fabric fabric_;
  std::vector<std::unique_ptr<Member>> owned_members_;
  std::vector<Member*> members_;  ///< by place, as all that follow count them
  std::unique_ptr<PostOffice> office_;
  ExecutorChoice choice_;
  std::unique_ptr<CollectiveExecutor> executor_;
  std::vector<Life> lives_;
  int left_ = 0;  ///< members that have ended
  std::map<const simgrid::s4u::Host*, Seconds> failed_at_;
  std::function<void()> at_end_;
  std::string deadlock_;
};

}  // namespace tandem
