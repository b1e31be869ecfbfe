#include "real/mpi/worker.h"

#include <sched.h>

#include "real/mpi/check.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {

Clock start_clock(MPI_Comm comm) {
  check(MPI_Barrier(comm), "MPI_Barrier");
  return {};
}

MpiWorker::MpiWorker(MPI_Comm comm, const TracedIterations& traced, DeviceTime paced, Way way)
    : memory_at_start_(begin_peak_memory()),
      comm_(comm),
      clock_(start_clock(comm)),
      first_(clock_offset(comm, clock_)),
      recorder_(traced),
      paced_(std::move(paced)),
      engine_(comm, recorder_, clock_, way) {
  if (paced_) pacer_ = make_pacer();
}

// Who waits for a device has nothing else to do, so no other thread need be woken to drive.
Pacer MpiWorker::make_pacer() {
  return Pacer({.now = [this] { return clock_.now(); },
                .sleep_until = [this](Seconds time) { engine_.wait_any({}, time - clock_.now()); },
                .pause =
                    [this] {
                      engine_.wait_any({}, 0);
                      sched_yield();
                    }});
}

/// Once the device has done all that it was asked for before.
ProgressEngine& MpiWorker::engine_in_time() {
  if (pacer_) pacer_->catch_up();
  return engine_;
}

// The engine's thread still sleeps, so that this one may call MPI.
void MpiWorker::set_devices(const MakeDeviceCollectives& make) {
  if (make) devices_ = make(comm_, engine_.node());
}

void MpiWorker::end() {
  engine_in_time().end();
  if (!devices_) return;
  devices_->leave();
  check(MPI_Barrier(comm_), "MPI_Barrier");  // so that nobody frees what another still reaches
}

void MpiWorker::align(MemberResult& member) const {
  mpi::align(member, first_, clock_offset(comm_, clock_));
}

bool MpiWorker::shares_memory_with_all() const {
  const Node& node = engine_.node();
  for (int rank = 0; rank < group().size; ++rank) {
    if (!node.is_shared() || !node.has(rank)) return false;
  }
  return true;
}

std::uint64_t MpiWorker::measured_peak_bytes() const {
  const std::uint64_t peak = peak_memory_bytes();
  const std::uint64_t not_own = memory_at_start_ + engine_.node().bytes_of_others();
  return peak > not_own ? peak - not_own : 0;
}

Handle MpiWorker::do_start(std::unique_ptr<const Schedule> schedule, View view) {
  DeviceCollective device;
  if (view.mirror != nullptr && schedule->rounds() > 0) device = devices_->make(*schedule, view);
  return engine_in_time().start(std::move(schedule), std::move(view), std::move(device));
}

Handle MpiWorker::do_compute(const Kernel& kernel) {
  const Seconds begin = now();
  if (paced_) {
    pacer_->pace(slowed(begin, paced_(kernel)));
  } else if (kernel.body) {
    engine_.go_on_alone();
    kernel.body();
    if (!slowness_) return {};
    const Seconds work = clock_.now() - begin;
    pacer_->pace(slowed(begin, work) - work);
    pacer_->catch_up();
  }
  return {};
}

Seconds MpiWorker::slowed(Seconds begin, Seconds work) const {
  return slowness_ ? slowness_->time(begin - slow_since_, recorder_.iteration(), work) : work;
}

void MpiWorker::slow_down(Slowness slowness, Seconds began) {
  slowness_ = std::move(slowness);
  slow_since_ = began;
  if (!pacer_) pacer_ = make_pacer();
}

std::optional<Completion> MpiWorker::do_wait_any(std::span<Handle> handles, Seconds timeout) {
  ProgressEngine& engine = engine_in_time();
  if (!pacer_) return engine.wait_any(handles, timeout);
  const Seconds begin = clock_.now();
  const std::optional<Completion> completion = engine.wait_any(handles, timeout);
  pacer_->waited(clock_.now() - begin);
  return completion;
}

}  // namespace tandem::mpi
