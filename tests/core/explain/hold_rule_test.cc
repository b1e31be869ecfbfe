#include "core/explain/hold_rule.h"

#include <gmock/gmock.h>

#include "core/model/custom.h"
#include "core/strategies/parameter_server/pieces.h"

namespace tandem {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Scenario served() {
  Scenario scenario;
  scenario.workers = 2;
  scenario.model.name = "mnist_cnn";
  scenario.algorithm.name = "parameter_server";
  return scenario;
}

TEST(HoldRule, OfASynchronousServerAsksForTheIterationsSum) {
  const HoldRule rule = hold_rule(served());
  EXPECT_THAT(rule(1, pull_tag(0), 0).own, IsEmpty());
  EXPECT_THAT(rule(1, pull_tag(0), 3).own,
              UnorderedElementsAre(Pair(std::pair(1, push_tag(0)), 3),
                                   Pair(std::pair(kPutOffWork, push_tag(0)), 3)));
}

TEST(HoldRule, WithoutEarlyPullsAsksForAllThatItsWorkerPushes) {
  Scenario scenario = served();
  scenario.algorithm.early_pull = false;
  scenario.algorithm.bucket_bytes = 64'000;
  const std::size_t pieces =
      cut_into_pieces(build_model(scenario.model), scenario.algorithm).size();
  ASSERT_GT(pieces, 1U);
  const HoldRule rule = hold_rule(scenario);
  EXPECT_FALSE(rule(1, pull_tag(0), 0).joint);
  const Needs needs = rule(1, pull_tag(0), 3);
  EXPECT_THAT(needs.own, UnorderedElementsAre(Pair(std::pair(1, push_tag(0)), 3),
                                              Pair(std::pair(kPutOffWork, push_tag(0)), 3)));
  const MessageCounts counts = needs.joint();
  EXPECT_EQ(counts.size(), pieces);
  EXPECT_EQ(counts.at({1, push_tag(pieces - 1)}), 3);
}

TEST(HoldRule, OfAStaleSynchronousServerAsksForTheOthersUpToItsBound) {
  Scenario scenario = served();
  scenario.algorithm.mode = ServerMode::kStaleSynchronous;
  scenario.algorithm.staleness = 2;
  EXPECT_THAT(
      hold_rule(scenario)(1, pull_tag(0), 3).own,
      UnorderedElementsAre(Pair(std::pair(0, push_tag(0)), 1), Pair(std::pair(1, push_tag(0)), 3)));
}

TEST(HoldRule, IsOfServersAlone) {
  Scenario scenario = served();
  scenario.algorithm.name = "elastic_averaging";
  EXPECT_FALSE(hold_rule(scenario));
}

}  // namespace
}  // namespace tandem
