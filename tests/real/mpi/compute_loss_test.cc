#include "real/calibrate/compute_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/collectives/schedule.h"
#include "real/cpu/network.h"

namespace tandem::mpi {
namespace {

constexpr Seconds kKernel = 0.002;     ///< by the member's clock
constexpr Seconds kLost = 0.0005;      ///< by a kernel to a collective that goes on beside it
constexpr Seconds kAllReduce = 0.001;  ///< where nothing is computed

/// One of two members with a made clock, whose peer is always ready and says what it says itself. A
/// collective goes on beside the kernel that follows, as an MPI worker's does: beside one that has
/// a body.
class MemberOfTwo final : public Worker {
 public:
  MemberOfTwo() : recorder_({}) {}

  const Group& group() const override { return group_; }
  Seconds now() const override { return now_; }
  Recorder& record() override { return recorder_; }

  int collectives_begun() const { return begun_; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return make_host_buffer(elements, dtype);
  }
  Handle do_send(int, Tag, View view) override {
    said_.assign(view.data, view.data + view.bytes());
    return done();
  }
  Handle do_receive(int, Tag, View view) override {
    std::ranges::copy(said_, view.data);
    return done();
  }
  Handle do_start(std::unique_ptr<const Schedule>, View) override {
    ++begun_;
    in_flight_ = std::make_shared<Step>();
    return Handle(in_flight_);
  }
  Handle do_compute(const Kernel& kernel) override {
    now_ += kKernel;
    if (in_flight_ && kernel.body && !in_flight_->is_done) {
      in_flight_->is_done = true;
      now_ += kLost;
    }
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
  Seconds now_ = 0;
  std::vector<std::byte> said_;
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
      {.gradient_bytes = 1 << 16, .bytes = 1 << 12, .seconds = kAllReduce}, [](double) {});
  EXPECT_NEAR(loss, kLost / kAllReduce, 1e-9);
  constexpr int kBlocks = 8, kKernels = 10;
  EXPECT_GT(worker.collectives_begun(), kBlocks * kKernels);
}

}  // namespace
}  // namespace tandem::mpi
