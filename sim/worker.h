#pragma once

#include "core/comm/worker.h"
#include "sim/executors/executor.h"
#include "sim/member.h"
#include "sim/post_office.h"

namespace tandem {

/// A member of a simulated job: an actor on a simulated host. Time passes only in wait_any() and
/// compute().
class SimWorker final : public Worker {
 public:
  /// All must outlive it. With `payload`, buffers have data and kernels are really run.
  SimWorker(Group group, Member& member, PostOffice& office, CollectiveExecutor& executor,
            bool payload)
      : group_(group), member_(member), office_(office), executor_(executor), payload_(payload) {}

  const Group& group() const override { return group_; }
  Seconds now() const override { return simgrid::s4u::Engine::get_clock(); }
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
  /// The first of `handles` that is done by now, emptied. Throws PeerLost.
  std::optional<Completion> take_completed(std::span<Handle> handles) const;

  Group group_;
  Member& member_;
  PostOffice& office_;
  CollectiveExecutor& executor_;
  bool payload_;
};

}  // namespace tandem
