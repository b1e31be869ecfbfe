#include "real/calibrate/compute_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/collectives/schedule.h"
#include "real/cpu/network.h"

namespace tandem::mpi {
namespace {

constexpr Seconds kKernel = 0.002;     ///< by the member's clock
constexpr Seconds kLost = 0.0005;      ///< by a kernel to a collective that goes on beside it
constexpr int kBeside = 4;             ///< kernels that a collective goes on beside
constexpr Seconds kAllReduce = 0.001;  ///< where nothing is computed

/// One of two members with a made clock, whose peer is always ready and says what it says itself. A
/// collective goes on beside the kernels that follow, as an MPI worker's does: beside those that
/// have a body.
class MemberOfTwo final : public Worker {
 public:
  MemberOfTwo() : recorder_({}) {}

  const Group& group() const override { return group_; }
  Seconds now() const override { return now_; }
  Recorder& record() override { return recorder_; }

  int kernels() const { return kernels_; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return make_host_buffer(elements, dtype);
  }
  Handle do_send(int, Tag, View view) override {
    said_.assign(view.data, view.data + view.bytes());
    return done();
  }
  Handle do_receive(int, Tag, View view) override {
    // First, of how long an iteration takes, that it is longer than a block: so one is a block.
    const double second = 1;
    if (!has_answered_) std::memcpy(said_.data(), &second, sizeof second);
    has_answered_ = true;
    std::ranges::copy(said_, view.data);
    return done();
  }
  Handle do_start(std::unique_ptr<const Schedule>, View) override {
    in_flight_ = std::make_shared<Step>();
    return Handle(in_flight_);
  }
  Handle do_compute(const Kernel& kernel) override {
    now_ += kKernel;
    ++kernels_;
    if (in_flight_ && kernel.body && in_flight_->left > 0) {
      --in_flight_->left;
      now_ += kLost;
    }
    return {};
  }
  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override {
    auto& step = static_cast<Step&>(*handles.front().get());
    if (step.left > 0 && timeout == 0) return std::nullopt;
    step.left = 0;
    handles.front().reset();
    return Completion{.index = 0};
  }

 private:
  struct Step : Operation {
    std::string waits_for() const override { return "a peer"; }
    int left = kBeside;  ///< kernels, until it is done
  };
  static Handle done() {
    auto step = std::make_shared<Step>();
    step->left = 0;
    return Handle(step);
  }

  Group group_{.rank = 0, .size = 2};
  Seconds now_ = 0;
  std::vector<std::byte> said_;
  Recorder recorder_;
  std::shared_ptr<Step> in_flight_;
  int kernels_ = 0;
  bool has_answered_ = false;
};

// One after the other through every other block of iterations, half of the one that a block's end
// finds in flight.
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
  constexpr int kBlocks = 16;
  const int kernels = worker.kernels() / kBlocks;
  ASSERT_NE(kernels % kBeside, 0) << "none is in flight at the end";
  const double reduced = kernels / kBeside + 0.5;  // NOLINT(bugprone-integer-division): whole ones
  EXPECT_NEAR(loss, kernels * kLost / (reduced * kAllReduce), 1e-9);
}

}  // namespace
}  // namespace tandem::mpi
