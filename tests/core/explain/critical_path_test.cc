#include "core/explain/critical_path.h"

#include <gtest/gtest.h>

#include "tests/core/explain/traces.h"

namespace tandem {
namespace {

TEST(CriticalPath, AddsUpToTheIteration) {
  const TracedPoint point = two_senders();
  const EventGraph graph = event_graph(point);
  const std::vector<PathPart> parts = critical_path(
      graph, point.network, replay(graph, point.network, {}), {.workers = 2, .first = 1});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].cause, "transfer: link wire");
  EXPECT_DOUBLE_EQ(parts[0].time, 4);
  EXPECT_EQ(parts[1].cause, "compute: forward");
  EXPECT_DOUBLE_EQ(parts[1].time, 3);
  EXPECT_EQ(parts[2].cause, "latency: messages");
  EXPECT_DOUBLE_EQ(parts[2].time, 1);
}

// Rank 1 computes for 20 s longer in iteration 1.
TEST(CriticalPath, AddsUpWhereWorkersAndIterationsDiffer) {
  TracedPoint point = two_senders();
  for (MemberSpan& member : point.spans)
    if (member.rank == 1 && member.span.lane == Lane::kCompute && member.span.iteration == 1)
      member.span.end += 20;
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  for (const int first : {0, 1}) {
    const Scope scope{.workers = 2, .first = first};
    Seconds sum = 0;
    for (const PathPart& part : critical_path(graph, point.network, moments, scope))
      sum += part.time;
    EXPECT_DOUBLE_EQ(sum, iteration_time(graph, moments, scope)) << first;
  }
  EXPECT_DOUBLE_EQ(iteration_time(graph, moments, {.workers = 2, .first = 1}), (6.0 + 26.0) / 2);
}

TEST(CriticalPath, IsTheMeanOfAllWhereComputingVaries) {
  TracedPoint point;
  point.spans = {{0, step(Lane::kCompute, 0, 0, 0, 1)},
                 {0, step(Lane::kCompute, 1, 1, 1, 3)},
                 {0, step(Lane::kCompute, 2, 2, 3, 12)}};
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  for (const auto& [varies, time] : {std::pair(false, 2.0), {true, 4.0}}) {
    const Scope scope{.workers = 1, .varies = varies};
    const std::vector<PathPart> parts = critical_path(graph, point.network, moments, scope);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_DOUBLE_EQ(parts[0].time, time);
    EXPECT_DOUBLE_EQ(iteration_time(graph, moments, scope), time);
  }
}

}  // namespace
}  // namespace tandem
