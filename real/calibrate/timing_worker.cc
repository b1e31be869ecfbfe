#include "real/calibrate/timing_worker.h"

#include <stdexcept>

#include "core/collectives/schedule.h"

namespace tandem::mpi {
namespace {

[[noreturn]] void nobody_there() {
  throw std::logic_error("a worker that is being timed has no peers");
}

}  // namespace

Handle TimingWorker::do_send(int, Tag, View) {
  nobody_there();
}

Handle TimingWorker::do_receive(int, Tag, View) {
  nobody_there();
}

Handle TimingWorker::do_start(std::unique_ptr<const Schedule>, View) {
  nobody_there();
}

std::optional<Completion> TimingWorker::do_wait_any(std::span<Handle>, Seconds) {
  nobody_there();
}

Handle TimingWorker::do_compute(const Kernel& kernel) {
  if (before_) before_(kernel);
  const Seconds begin = now();
  if (kernel.body) kernel.body();
  const Seconds end = now();
  const auto [entry, is_new] =
      index_.try_emplace(std::tuple(kernel.phase, kernel.layer, kernel.name), kernels_.size());
  if (is_new) {
    kernels_.push_back({kernel, {}});
    kernels_.back().kernel.body = nullptr;
  }
  kernels_[entry->second].seconds.push_back(end - begin);
  return {};
}

}  // namespace tandem::mpi
