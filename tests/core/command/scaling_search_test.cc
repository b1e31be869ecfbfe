#include "core/command/scaling_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using testing::ElementsAre;

/// The numbers that are tried where those that `keeps` names keep the efficiency.
std::vector<int> tried(ScalingSearch& search, const std::function<bool(int)>& keeps) {
  std::vector<int> all;
  while (const std::optional<int> workers = search.next()) {
    all.push_back(*workers);
    search.note(keeps(*workers));
  }
  return all;
}

TEST(ScalingSearch, DoublesThenHalvesTheGap) {
  ScalingSearch search;
  EXPECT_THAT(tried(search, [](int workers) { return workers <= 11; }),
              ElementsAre(1, 2, 4, 8, 16, 12, 10, 11));
  EXPECT_EQ(search.answer(), 11);
  EXPECT_EQ(search.above(), 12);
}

TEST(ScalingSearch, FindsEveryLimit) {
  for (int limit = 1; limit <= 70; ++limit) {
    ScalingSearch search;
    tried(search, [&](int workers) { return workers <= limit; });
    EXPECT_EQ(search.answer(), limit);
    EXPECT_EQ(search.above(), limit + 1);
  }
}

TEST(ScalingSearch, EndsAtOnceWhereNoneKeepsIt) {
  ScalingSearch search;
  EXPECT_THAT(tried(search, [](int) { return false; }), ElementsAre(1));
  EXPECT_EQ(search.answer(), 0);
}

TEST(ScalingSearch, AnswersWithWhatAllSmallerTriedOnesKeepToo) {
  // 6 falls out, 7 and what is above do not: 8 is tried before, 6 never.
  ScalingSearch search;
  const auto all = tried(search, [](int workers) { return workers != 6 && workers < 9; });
  EXPECT_THAT(all, ElementsAre(1, 2, 4, 8, 16, 12, 10, 9));
  EXPECT_EQ(search.answer(), 8);
  ScalingSearch other;
  EXPECT_THAT(tried(other, [](int workers) { return workers != 8 && workers != 6; }),
              ElementsAre(1, 2, 4, 8, 6, 5));
  EXPECT_EQ(other.answer(), 5);
}

TEST(ScalingSearch, StaysWithWholePipelines) {
  ScalingSearch search(4, 4);
  EXPECT_THAT(tried(search, [](int workers) { return workers <= 25; }),
              ElementsAre(4, 8, 16, 32, 24, 28));
  EXPECT_EQ(search.answer(), 24);
}

TEST(ScalingSearch, StaysWithWholeNodes) {
  Scenario point;
  point.algorithm.collective = "hierarchical";
  Topology& topology = point.topology.emplace();
  topology.name = "gpu_nodes";
  topology.gpus = 8;
  topology.bandwidth = topology.node_bandwidth = 1e9;
  ScalingSearch derived = scaling_search_of(point);
  EXPECT_THAT(tried(derived, [](int workers) { return workers <= 70; }),
              ElementsAre(16, 32, 64, 128, 96, 80, 72));
  point.algorithm.options.node_size = 4;
  ScalingSearch given = scaling_search_of(point);
  EXPECT_THAT(tried(given, [](int workers) { return workers < 9; }), ElementsAre(4, 8, 16, 12));
}

}  // namespace
}  // namespace tandem
