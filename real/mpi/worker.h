#pragma once

#include <mpi.h>

#include <algorithm>
#include <optional>

#include "core/comm/worker.h"
#include "core/faults/slowness.h"
#include "core/record/recorder.h"
#include "real/mpi/clock.h"
#include "real/mpi/clock_offset.h"
#include "real/mpi/device_collectives.h"
#include "real/mpi/progress_engine.h"
#include "real/paced/paced_device.h"
#include "real/paced/pacer.h"

namespace tandem::mpi {

/// Makes the start that is common to all members of `comm`: collective.
Clock start_clock(MPI_Comm comm);

/// A rank of an MPI job. Kernels run at once, on the thread that asks for them, while messages and
/// collectives go on in the background. Where the device is `paced`, the thread waits for their
/// time instead and drives messages meanwhile; until it does, and works itself, nobody drives them.
/// Its now() is where the device is.
class MpiWorker final : public Worker {
 public:
  /// Collective over `comm`, as is destruction, which waits until every member has come to it.
  /// `way` is the same on all.
  explicit MpiWorker(MPI_Comm comm, const TracedIterations& traced = {}, DeviceTime paced = {},
                     Way way = Way::kMemory);

  /// From now on devices do what collectives they can. Collective, before any other use. Where it
  /// throws on some ranks, others wait for them: the job has to be ended.
  void set_devices(const MakeDeviceCollectives& make);

  /// From now on kernels take as much longer as `slowness` says, which counts time from `began` on,
  /// by this worker's clock. What is added up while messages move is as quick as ever.
  void slow_down(Slowness slowness, Seconds began);

  /// As ProgressEngine::end(), once the device has done all.
  void end();
  /// Tells `member`'s spans by rank 0's clock, to which the own was compared when this was made and
  /// is again now. Collective; nothing but destruction may follow end() and this.
  void align(MemberResult& member) const;

  /// Whether all members are on one host, so that what collectives they can is done in its memory.
  bool shares_memory_with_all() const;

  const Group& group() const override { return engine_.group(); }
  Seconds now() const override {
    return pacer_ ? std::max(clock_.now(), pacer_->done()) : clock_.now();
  }
  Recorder& record() override { return recorder_; }
  std::uint64_t measured_peak_bytes() const override;

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return engine_.node().allocate(elements, dtype);
  }
  Handle do_send(int peer, Tag tag, View view) override {
    return engine_in_time().send(peer, tag, std::move(view));
  }
  Handle do_send_in_turn(int peer, Tag tag, View view) override {
    return engine_in_time().send_in_turn(peer, tag, std::move(view));
  }
  Handle do_receive(int peer, Tag tag, View view) override {
    return engine_in_time().receive(peer, tag, std::move(view));
  }
  Handle do_start(std::unique_ptr<const Schedule> schedule, View view) override;
  bool is_done_on_devices(const Schedule& schedule, const View& view) override {
    return devices_ && devices_->takes(schedule, view);
  }
  void give_up() noexcept override {
    if (devices_) devices_->give_up();
  }
  Handle do_compute(const Kernel& kernel) override;
  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override;

 private:
  Seconds slowed(Seconds begin, Seconds work) const;
  Pacer make_pacer();
  ProgressEngine& engine_in_time();

  std::uint64_t memory_at_start_;
  MPI_Comm comm_;
  Clock clock_;
  ClockOffset first_;
  Recorder recorder_;
  DeviceTime paced_;  ///< empty where kernels are computed
  std::optional<Slowness> slowness_;
  Seconds slow_since_ = 0;
  std::optional<Pacer> pacer_;                  ///< where kernels are waited for
  std::unique_ptr<DeviceCollectives> devices_;  ///< null where devices do none; before the engine
  ProgressEngine engine_;                       // last: its thread uses the others
};

}  // namespace tandem::mpi
