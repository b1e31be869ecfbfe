#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/comm/worker.h"
#include "core/record/recorder.h"
#include "real/mpi/clock.h"

namespace tandem::mpi {

/// How long each run of one kernel took.
struct KernelSamples {
  Kernel kernel;  ///< without its body
  std::vector<Seconds> seconds;
};

/// A worker alone in its job that times every kernel: with it, the trainer of real runs is what is
/// measured, not an imitation.
class TimingWorker final : public Worker {
 public:
  /// `before` is called before each kernel.
  explicit TimingWorker(std::function<void(const Kernel&)> before = {})
      : before_(std::move(before)), recorder_({}) {}

  const Group& group() const override { return group_; }
  Seconds now() const override { return clock_.now(); }
  Recorder& record() override { return recorder_; }

  /// In the order in which they first ran. Refers to the names of the graph that was trained.
  const std::vector<KernelSamples>& kernels() const { return kernels_; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return make_host_buffer(elements, dtype);
  }
  /// There is nobody to talk to: these three throw std::logic_error.
  Handle do_send(int peer, Tag tag, View view) override;
  Handle do_receive(int peer, Tag tag, View view) override;
  Handle do_start(std::unique_ptr<const Schedule> schedule, View view) override;
  Handle do_compute(const Kernel& kernel) override;
  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override;

 private:
  std::function<void(const Kernel&)> before_;
  Group group_;
  Clock clock_;
  Recorder recorder_;
  /// By phase, layer and name: some optimizers measure before they update.
  std::map<std::tuple<Phase, int, std::string_view>, std::size_t> index_;
  std::vector<KernelSamples> kernels_;
};

}  // namespace tandem::mpi
