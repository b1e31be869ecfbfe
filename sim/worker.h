#pragma once

#include "core/comm/worker.h"
#include "sim/executors/executor.h"
#include "sim/member.h"
#include "sim/places.h"
#include "sim/post_office.h"

namespace tandem {

/// A member of a simulated job: an actor on a simulated host. Time passes only in wait_any() and
/// compute(). Where there is no payload, what it computes between two of its dealings with others
/// is slept off at once, before the next of them: until then the member is ahead of the
/// simulation's clock, which nobody sees. Not so where collectives slow down what it computes.
class SimWorker final : public Worker {
 public:
  /// All must outlive it. With `payload`, buffers have data and kernels are really run.
  SimWorker(const Places& places, Member& member, PostOffice& office, CollectiveExecutor& executor,
            bool payload)
      : places_(places),
        group_{.rank = places.rank(member.place), .size = places.members()},
        member_(member),
        office_(office),
        executor_(executor),
        payload_(payload) {}

  const Group& group() const override { return group_; }
  int stands_for(int rank) const override { return places_.stands_for(rank); }
  Seconds now() const override { return simgrid::s4u::Engine::get_clock() + ahead_; }
  /// Sleeps off what it has computed. Goes before anything that others may notice, its end
  /// included.
  void catch_up();
  bool has_real_clock() const override { return false; }
  Recorder& record() override { return member_.recorder; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override;
  Handle do_send(int peer, Tag tag, View view) override;
  Handle do_send_in_turn(int peer, Tag tag, View view) override;
  Handle do_receive(int peer, Tag tag, View view) override;
  Handle do_start(std::unique_ptr<const Schedule> schedule, View view) override;
  Handle do_compute(const Kernel& kernel) override;
  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override;

 private:
  /// Computes what collectives in memory have kept it from, after what it is ahead.
  void make_up_for_losses();
  /// The first of `handles` that is done by now, emptied. Throws PeerLost.
  std::optional<Completion> take_completed(std::span<Handle> handles) const;

  const Places& places_;
  Group group_;
  Member& member_;
  PostOffice& office_;
  CollectiveExecutor& executor_;
  bool payload_;
  Seconds ahead_ = 0;  ///< computed since it last slept
};

}  // namespace tandem
