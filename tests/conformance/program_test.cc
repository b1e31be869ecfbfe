// In every world, a member's program holds all that it computed, sent and received.

#include <gtest/gtest.h>

#include "core/training/experiment.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

class Programs : public testing::TestWithParam<const char*> {};

TEST_P(Programs, HoldAllTraffic) {
  Scenario scenario;
  scenario.name = "program";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 4;
  scenario.iterations = 2;
  scenario.warmup_iterations = 1;
  scenario.algorithm.name = GetParam();
  scenario.algorithm.bucket_bytes = 20'000;
  scenario.workers = 3 - scenario.algorithm.servers();
  scenario.chakra = true;
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.members())) GTEST_SKIP() << "this world has no job of 3";
  const Experiment experiment = prepared(scenario);
  world->run(scenario.members(), [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    std::uint64_t sent = 0, received = 0, kernels = 0;
    for (const Step& step : result.program) {
      EXPECT_LE(step.begin, step.end) << step.name;
      sent += step.kind == Step::Kind::kSend ? step.bytes : step.sent_bytes;
      received += step.kind == Step::Kind::kReceive ? step.bytes : step.received_bytes;
      kernels += step.kind == Step::Kind::kCompute ? 1 : 0;
    }
    EXPECT_GT(sent, 0U);
    EXPECT_GT(kernels, 0U);
    EXPECT_EQ(sent, result.traffic.sent_bytes);
    EXPECT_EQ(received, result.traffic.received_bytes);
  });
}

INSTANTIATE_TEST_SUITE_P(, Programs,
                         testing::Values("all_reduce", "zero", "parameter_server", "ad_psgd"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tandem
