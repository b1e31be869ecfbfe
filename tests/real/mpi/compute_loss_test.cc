#include "real/calibrate/compute_loss.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/collectives/schedule.h"
#include "real/cpu/network.h"
#include "real/mpi/clock.h"

namespace tandem::mpi {
namespace {

/// One of two members, whose peer is always ready. A collective goes on beside the kernel that
/// follows, as an MPI worker's does: beside one that has a body.
class MemberOfTwo final : public Worker {
 public:
  MemberOfTwo() : recorder_({}) {}

  const Group& group() const override { return group_; }
  Seconds now() const override { return clock_.now(); }
  Recorder& record() override { return recorder_; }

  int collectives_begun() const { return begun_; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return make_host_buffer(elements, dtype);
  }
  Handle do_send(int, Tag, View) override { return done(); }
  Handle do_receive(int, Tag, View) override { return done(); }
  Handle do_start(std::unique_ptr<const Schedule>, View) override {
    ++begun_;
    in_flight_ = std::make_shared<Step>();
    return Handle(in_flight_);
  }
  Handle do_compute(const Kernel& kernel) override {
    if (in_flight_ && kernel.body) in_flight_->is_done = true;
    return {};
  }
  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override {
    auto& step = static_cast<Step&>(*handles.front().get());
    if (!step.is_done && timeout == 0) return std::nullopt;
    handles.front().reset();
    return Completion{.index = 0};
  }

 private:
  struct Step : Operation {
    std::string waits_for() const override { return "a peer"; }
    bool is_done = false;
  };
  static Handle done() {
    auto step = std::make_shared<Step>();
    step->is_done = true;
    return Handle(step);
  }

  Group group_{.rank = 0, .size = 2};
  Clock clock_;
  Recorder recorder_;
  std::shared_ptr<Step> in_flight_;
  int begun_ = 0;
};

// One after the other, a kernel each, through every other block of iterations.
TEST(ComputeLoss, IsOfAllReducesThatGoOnBesideKernels) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.data.name = "synthetic";
  scenario.batch_size = 2;
  scenario.iterations = 1;
  MemberOfTwo worker;
  const double loss = measure_compute_loss(
      prepare_experiment(scenario, true, cpu_network(1)), worker,
      {.gradient_bytes = 1 << 16, .bytes = 1 << 12, .seconds = 1e-3}, [](double) {});
  EXPECT_GE(loss, 0);
  constexpr int kBlocks = 8, kKernels = 10;
  EXPECT_GT(worker.collectives_begun(), kBlocks * kKernels);
}

}  // namespace
}  // namespace tandem::mpi
