#include "core/collectives/choose.h"

#include <gmock/gmock.h>

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// All links alike: 50 us and 1 GB/s; 10 GB/s of adding.
NetworkFigures uniform(int ranks, const AllReduceOptions& options = {}) {
  return network_figures(
      std::vector<LinkFigures>(figure_patterns(ranks, options).size(), {50e-6, 1e9}), options,
      1e10);
}

TEST(FigurePatterns, AreShiftsByPowersOfTwoThenInsideAndAcross) {
  EXPECT_THAT(figure_patterns(5, {}),
              ElementsAre(ElementsAre(1, 2, 3, 4, 0), ElementsAre(2, 3, 4, 0, 1),
                          ElementsAre(4, 0, 1, 2, 3)));
  const auto patterns = figure_patterns(5, {.node_size = 2});  // the last node has one rank
  ASSERT_EQ(patterns.size(), 5U);
  EXPECT_THAT(patterns[3], ElementsAre(1, 0, 3, 2, 4));
  EXPECT_THAT(patterns[4], ElementsAre(2, 3, 4, 4, 0));
  EXPECT_TRUE(figure_patterns(1, {}).empty());
}

TEST(AllReduceCost, IsThatOfThePaper) {
  const double alpha = 50e-6, beta = 1e-9, gamma = 1e-10, n = 8e6;
  const NetworkFigures figures = uniform(8);
  EXPECT_NEAR(all_reduce_cost("ring", 8, 8'000'000, {}, figures),
              14 * alpha + 2 * 7 / 8.0 * n * beta + 7 / 8.0 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("halving_doubling", 8, 8'000'000, {}, figures),
              6 * alpha + 2 * 7 / 8.0 * n * beta + 7 / 8.0 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("halving_doubling", 11, 8'000'000, {}, uniform(11)),
              8 * alpha + 2 * (1 + 7 / 8.0) * n * beta + (1 + 7 / 8.0) * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("recursive_doubling", 8, 8'000'000, {}, figures),
              3 * (alpha + n * beta + n * gamma), 1e-12);
  EXPECT_NEAR(all_reduce_cost("recursive_doubling", 11, 8'000'000, {}, uniform(11)),
              5 * (alpha + n * beta) + 4 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("linear", 8, 8'000'000, {}, figures),
              8 * alpha + 14 * n * beta + 7 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("binomial_tree", 8, 8'000'000, {}, figures),
              6 * (alpha + n * beta) + 3 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("binomial_tree", 11, 8'000'000, {}, uniform(11)),
              8 * (alpha + n * beta) + 4 * n * gamma, 1e-12);
  EXPECT_NEAR(all_reduce_cost("segmented_ring", 8, 8'000'000, {.segment_bytes = 250'000}, figures),
              (4 + 1) * 7 * alpha + 2 * 7 / 8.0 * n * beta + 7 / 8.0 * n * gamma, 1e-12);
  const AllReduceOptions nodes_of_4 = {.node_size = 4};
  EXPECT_NEAR(
      all_reduce_cost("hierarchical", 8, 8'000'000, nodes_of_4, uniform(8, nodes_of_4)),
      (6 + 2) * alpha + 2 * (3 / 4.0 + 1 / 8.0) * n * beta + (3 / 4.0 + 1 / 8.0) * n * gamma,
      1e-12);
}

std::string chosen(int ranks, std::size_t bytes, const AllReduceOptions& options,
                   const NetworkFigures& figures) {
  return choose_all_reduce(ranks, bytes, options, figures).name;
}

TEST(ChooseAllReduce, TakesRecursiveDoublingWhereLatencyCounts) {
  EXPECT_EQ(chosen(16, 1000, {}, uniform(16)), "recursive_doubling");
  EXPECT_EQ(chosen(24, 1000, {}, uniform(24)), "recursive_doubling");
}

// What is folded first goes to neighbours: where these alone are far, as of ranks that alternate
// between two nodes, a tree takes it once each way.
TEST(ChooseAllReduce, TakesTheBinomialTreeWhereNeighboursAreFar) {
  NetworkFigures figures = uniform(6);
  figures.shifts[0].latency *= 10;
  EXPECT_EQ(chosen(6, 1000, {}, figures), "binomial_tree");
}

TEST(ChooseAllReduce, TakesHalvingDoublingWhereBothCount) {
  EXPECT_EQ(chosen(16, 1'000'000, {}, uniform(16)), "halving_doubling");
}

TEST(ChooseAllReduce, TakesTheRingWhereBytesCountAndRanksAreNoPowerOfTwo) {
  EXPECT_EQ(chosen(24, 100'000'000, {}, uniform(24)), "ring");
}

TEST(ChooseAllReduce, TakesTheTreeInBetweenOnManyRanks) {
  EXPECT_EQ(chosen(1000, 20'000'000, {.segment_bytes = 250'000}, uniform(1000)),
            "double_binary_tree");
}

TEST(ChooseAllReduce, TakesTheRingWhereDistantRanksShareLinks) {
  NetworkFigures figures = uniform(16);
  figures.shifts[2].bandwidth = figures.shifts[3].bandwidth = 1e8;
  EXPECT_EQ(chosen(16, 100'000'000, {}, figures), "ring");
}

TEST(ChooseAllReduce, TakesTwoLevelsWhereNodesAreFastInside) {
  const AllReduceOptions options = {.node_size = 8};
  NetworkFigures figures = uniform(24, options);
  figures.inside = {1e-6, 1e11};
  EXPECT_EQ(chosen(24, 100'000'000, options, figures), "hierarchical");
}

TEST(ChooseAllReduce, SaysWhyAndWhatElse) {
  const CollectiveChoice choice = choose_all_reduce(8, 8'000'000, {}, uniform(8));
  EXPECT_EQ(choice.name, "halving_doubling");
  EXPECT_EQ(choice.reason.substr(0, 39), "15 ms predicted, against ring 15.4 ms, ");
  EXPECT_THAT(choice.reason, HasSubstr("segmented_ring"));
  EXPECT_EQ(choose_all_reduce(1, 8, {}, {}).name, "ring");
}

}  // namespace
}  // namespace tandem
