#include <gtest/gtest.h>

#include "core/explain/prediction.h"
#include "core/explain/replay.h"
#include "tests/core/explain/traces.h"

namespace tandem {
namespace {

Span in_task(Span span, Task::Kind kind, int number, std::uint64_t cause = 0) {
  span.task = {kind, number, cause};
  return span;
}

/// Of a message that whoever comes first is taken of.
Span tagged(Span span) {
  span.tag = 1;
  span.from_any = span.name == "receive";
  return span;
}

// Ranks 0 and 1 compute 2 and 4 s, send rank 2 what takes 3 s, and wait for its answer of 3 s.
// Rank 2 takes whoever comes first, computes 1 s and answers, which is 9 s from when it was asked.
TracedPoint attended() {
  TracedPoint point;
  for (const int rank : {0, 1}) {
    const std::string name(1, static_cast<char>('a' + rank));
    point.network.links[name + " up"] = point.network.links[name + " down"] = 50;
    point.network.routes[{rank, 2}].links = {name + " up"};
    point.network.routes[{2, rank}].links = {name + " down"};
  }
  const auto add = [&](int rank, const Span& span) { point.spans.push_back({rank, span}); };
  for (const int rank : {0, 1}) {
    const Seconds ready = 2 + 2 * rank;
    const std::uint64_t question = 7 + rank, answer = 17 + rank;
    const int begin = 2 * rank;  // of rank 2's positions
    const auto reaction = [&](const Span& span) {
      return in_task(span, Task::Kind::kReaction, 1 + rank, question);
    };
    add(rank, step(Lane::kCompute, 0, 0, 0, ready));
    add(rank, tagged(message("send", 2, 1, ready, ready + 3, question)));
    add(rank, message("receive", 2, 1, ready + 4, ready + 7, answer));
    add(rank, step(Lane::kWait, 1, 0, ready, ready + 7, answer));
    add(2, tagged(message("receive", rank, 0, ready, ready + 3, question)));
    add(2, in_task(step(Lane::kWait, begin, 0, rank == 0 ? 0 : 6, ready + 3, question),
                   Task::Kind::kServing, 0));
    add(2, reaction(step(Lane::kCompute, begin + 1, 0, ready + 3, ready + 4)));
    add(2, reaction(message("send", rank, begin + 2, ready + 4, ready + 7, answer)));
  }
  return point;
}

/// When iteration 0 of a worker of `attended()` ends where rank 0 computes for `longer`.
Seconds end_of(int rank, TracedPoint point, Seconds longer) {
  for (MemberSpan& member : point.spans)
    if (member.rank == 0 && member.span.lane == Lane::kCompute) member.span.end += longer;
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  return periods(graph, moments, {.workers = 2}).back().at(rank).end;
}

TEST(Replay, AttendsToWhoeverComesFirst) {
  EXPECT_DOUBLE_EQ(end_of(0, attended(), 0), 2 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, attended(), 0), 4 + 7);
  EXPECT_DOUBLE_EQ(end_of(0, attended(), 10), 12 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, attended(), 10), 4 + 7);
}

// It waits for the next once it has computed for one, at 6 s, and after the trace's last for no
// more; now that one comes first.
TEST(Replay, WaitsForTheNextAfterWhicheverCameFirst) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    Span& span = member.span;
    if (member.rank != 2 || span.name != "receive" || span.message != 8) continue;
    span.position = 2;
    span.task = {Task::Kind::kReaction, 1, 7};
  }
  EXPECT_DOUBLE_EQ(end_of(0, point, 0), 2 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, point, 0), 6 + 7);
  EXPECT_DOUBLE_EQ(end_of(0, point, 10), 12 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, point, 10), 4 + 7);
}

// Its second comer had to wait for one that it was busy with.
TEST(Replay, AttendsToOneAfterTheOther) {
  EXPECT_DOUBLE_EQ(end_of(0, attended(), 1.5), 3.5 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, attended(), 1.5), 7.5 + 1 + 3);
}

// Of messages of different tags that end together it first sees the one that it began to wait for
// first, whichever set out first in the trace.
TEST(Replay, AttendsInTheOrderOfItsReceives) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    Span& span = member.span;
    if (span.message == 8) span.tag = 2;  // from rank 1
    if (span.name == "receive") span.order = span.tag == 2 ? 0 : 1;
  }
  EXPECT_DOUBLE_EQ(end_of(1, point, 2), 4 + 7);
  EXPECT_DOUBLE_EQ(end_of(0, point, 2), 4 + 1 + 7);
  for (MemberSpan& member : point.spans) member.span.order = -member.span.order;
  EXPECT_DOUBLE_EQ(end_of(0, point, 2), 4 + 7);
  EXPECT_DOUBLE_EQ(end_of(1, point, 2), 4 + 1 + 7);
}

// With such devices both come at the same time, but for rounding, which would turn them round.
TEST(Replay, AttendsInTheOrderTheyHadToThoseThatComeTogether) {
  constexpr double kFaster = 1e14;
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    if (member.span.lane != Lane::kCompute) continue;
    if (member.rank == 0) member.span.begin = 1e-13;
    if (member.rank == 2) member.span.end = member.span.begin + kFaster;
  }
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {.compute = kFaster});
  const Windows last = periods(graph, moments, {.workers = 2}).back();
  EXPECT_NEAR(last.at(0).end, 3 + 1 + 3, 1e-9);
  EXPECT_NEAR(last.at(1).end, 3 + 1 + 1 + 3, 1e-9);
}

// Rank 0's device and what rank 1 waits for, which no change touches, both take 4 s. Whom rank 2
// sees first decides who waits: for rank 1 it computes longer.
TEST(PredictedTime, IsNoneWhereRoundingDecidesWhoComesFirst) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    Span& span = member.span;
    if (member.rank == 2 && span.lane == Lane::kCompute && span.task.cause == 8) span.end += 2;
    if (span.begin > 0 || span.lane != Lane::kCompute) continue;
    if (member.rank == 0) span.end += 2;
    if (member.rank == 1) span.lane = Lane::kWait;
  }
  const EventGraph graph = event_graph(point);
  const Scope scope{.workers = 2};
  EXPECT_EQ(predicted_time(graph, point.network, {}, scope), std::nullopt);
  // Now rank 0 is first by far.
  const auto faster = predicted_time(graph, point.network, {.compute = 2}, scope);
  ASSERT_TRUE(faster);
  EXPECT_DOUBLE_EQ(*faster, (2 + 3 + 0.5 + 3 + 4 + 3 + 1.5 + 3) / 2);
}

// What was put off was so for both, so it waits for the one that is now the last.
TEST(Replay, PutsOffUntilAsManyHaveCome) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans)
    if (member.span.task.cause == 8) member.span.task.kind = Task::Kind::kPutOff;
  EXPECT_DOUBLE_EQ(end_of(1, point, 0), 4 + 7);
  EXPECT_DOUBLE_EQ(end_of(0, point, 10), 12 + 3 + 1 + 3);
  EXPECT_DOUBLE_EQ(end_of(1, point, 10), 12 + 3 + 1 + 1 + 3);
}

// Rank 2 answers nobody before it has seen the message of rank 0, which now comes last.
TEST(Replay, HoldsBackUntilAllThatItNeedsHasCome) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    Span& span = member.span;
    if (member.rank == 0 && span.lane == Lane::kCompute) span.end += 10;
    if (member.rank != 2 || span.name != "send") continue;
    span.turn = {.position = span.position, .task = span.task};
    span.task = {Task::Kind::kTurn, span.task.number + 10, span.task.cause};
  }
  const HoldRule rule = [](int destination, int, int) {
    return Needs{.own = {{{destination, 1}, 1}, {{0, 1}, 1}}};
  };
  const HoldRule jointly = [](int, int, int) {
    return Needs{.own = {}, .joint = [] { return MessageCounts{{{0, 1}, 1}, {{1, 1}, 1}}; }};
  };
  const auto end_of_1 = [&](const HoldRule& rule) {
    const EventGraph graph = event_graph(point, rule);
    const std::vector<Moment> moments = replay(graph, point.network, {});
    return periods(graph, moments, {.workers = 2}).back().at(1).end;
  };
  EXPECT_DOUBLE_EQ(end_of_1({}), 4 + 7);
  EXPECT_DOUBLE_EQ(end_of_1(rule), 12 + 3 + 1 + 3);
  EXPECT_DOUBLE_EQ(end_of_1(jointly), 12 + 3 + 1 + 3);
}

// Rank 2 answers what came first only once it has done what it put off until both had come.
TEST(Replay, HoldsBackUntilWhatWasPutOffIsDone) {
  TracedPoint point = attended();
  for (MemberSpan& member : point.spans) {
    Span& span = member.span;
    if (member.rank != 2 || span.task.cause == 0) continue;
    if (span.lane == Lane::kCompute && span.task.cause == 8) span.task.kind = Task::Kind::kPutOff;
    if (span.name != "send") continue;
    span.turn = {.position = span.position, .task = span.task};
    span.task = {Task::Kind::kTurn, span.task.number + 10, span.task.cause};
  }
  const auto ends = [&](int iterations) {
    const HoldRule rule = [=](int, int, int) {
      return Needs{.own = {{{kPutOffWork, 1}, iterations}}};
    };
    const EventGraph graph = event_graph(point, rule);
    return periods(graph, replay(graph, point.network, {}), {.workers = 2}).back();
  };
  EXPECT_DOUBLE_EQ(ends(1).at(0).end, 4 + 3 + 1 + 3);
  EXPECT_DOUBLE_EQ(ends(1).at(1).end, 4 + 3 + 1 + 3);
}

}  // namespace
}  // namespace tandem
