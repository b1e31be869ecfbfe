#include "core/explain/replay.h"

#include <gtest/gtest.h>

#include <csignal>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/main.h"
#include "core/explain/lines.h"
#include "tests/core/explain/traces.h"

namespace tandem {
namespace {

/// Of iteration 1.
Seconds time_after(const TracedPoint& point, const Change& change) {
  const EventGraph graph = event_graph(point);
  return iteration_time(graph, replay(graph, point.network, change), {.workers = 2, .first = 1});
}

TEST(Replay, SharesALinkByTheLatenciesOfWays) {
  TracedPoint point = two_senders();
  point.network.routes.at({0, 2}).latency = 1;
  point.network.routes.at({1, 2}).latency = 4;
  // The first has 40 bytes/s and the second 10, until the first is done after 1 + 2.5 s; then the
  // second has all, for 1.5 s more. An iteration's time is the mean of theirs.
  EXPECT_DOUBLE_EQ(time_after(point, {}), 3 + 1 + 2.5 + 1.5 / 2);
}

TEST(Replay, GivesTheTracedTimesWhereNothingChanges) {
  EXPECT_DOUBLE_EQ(time_after(two_senders(), {}), 8);
}

TEST(Replay, EndsWhereASignalAsksForIt) {
  const auto interrupted_replay = [] {
    note_interrupts();
    std::raise(SIGTERM);
    std::exit(run_main([] {
      time_after(two_senders(), {});
      return 0;
    }));
  };
  EXPECT_EXIT(interrupted_replay(), testing::ExitedWithCode(128 + SIGTERM),
              "tandem: error: interrupted\n");
}

TEST(Replay, ChangesLatencyBandwidthAndComputing) {
  const TracedPoint point = two_senders();
  EXPECT_DOUBLE_EQ(time_after(point, {.bandwidth = 2}), 3 + 1 + 2);
  EXPECT_DOUBLE_EQ(time_after(point, {.latency = 0}), 3 + 4);
  EXPECT_DOUBLE_EQ(time_after(point, {.compute = 2}), 1.5 + 5);
}

TEST(Replay, TakesWholePeriods) {
  const TracedPoint point = two_senders();
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  EXPECT_EQ(periods(graph, moments, {.workers = 2}).size(), 2U);
  EXPECT_DOUBLE_EQ(iteration_time(graph, moments, {.workers = 2, .period = 2}), 10.0 / 2);
  EXPECT_THROW(iteration_time(graph, moments, {.workers = 2, .period = 3}), InputError);
}

TEST(Replay, RefusesATraceThatLacksAnIterationInBetween) {
  TracedPoint point = two_senders();
  point.spans.push_back({0, step(Lane::kCompute, 3, 2, 10, 11)});
  point.spans.push_back({1, step(Lane::kCompute, 3, 3, 10, 11)});
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  EXPECT_EQ(periods(graph, moments, {.workers = 1}).size(), 3U);
  EXPECT_THROW(periods(graph, moments, {.workers = 2}), InputError);
}

// What is left by rounding of a transfer may be too little for the clock to move on.
TEST(Replay, EndsLateInALongRunOnFastLinks) {
  TracedPoint point = two_senders();
  for (MemberSpan& member : point.spans) {
    member.span.begin += 1e5;
    member.span.end += 1e5;
  }
  EXPECT_NEAR(time_after(point, {.bandwidth = 1e9}), 3 + 1, 1e-6);
}

// One of the two comes so late that they no longer share the wire.
TEST(Replay, SharesLinksAmongThoseThatUseThemNow) {
  TracedPoint point = two_senders();
  for (MemberSpan& member : point.spans) {
    if (member.rank != 1 || member.span.lane != Lane::kCompute || member.span.iteration != 1)
      continue;
    member.span.end += 20;
  }
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  const Windows last = periods(graph, moments, {.workers = 2}).back();
  EXPECT_DOUBLE_EQ(last.at(0).end, 5 + 1 + 2);
}

TEST(Replay, TakesTracedTimesWhereRoutesAreUnknown) {
  TracedPoint point = two_senders();
  point.network = {};
  EXPECT_DOUBLE_EQ(time_after(point, {}), 8);
  EXPECT_DOUBLE_EQ(time_after(point, {.bandwidth = 2}), 3 + 1 + 2);
}

TEST(Replay, TakesTracedTimesBesideCollectives) {
  TracedPoint point = two_senders();
  Span ring = message("ring", -1, 0, 2, 7, 9);
  ring.time.alone = -1;
  point.spans.push_back({2, ring});
  for (MemberSpan& member : point.spans)  // which the ring put off
    if (member.span.lane != Lane::kCompute && member.span.end == 10) member.span.end = 12;
  EXPECT_DOUBLE_EQ(time_after(point, {}), 10);
}

// Of one member alone, it moves nothing.
TEST(Replay, SharesLinksBesideCollectivesThatTakeNoTime) {
  TracedPoint point = two_senders();
  point.spans.push_back({2, message("ring", -1, 0, 7, 7, 9)});
  for (const int rank : {0, 1})  // so that only one uses the wire at a time
    point.spans[5 * rank + 1].span.end += 20 * rank;
  EXPECT_DOUBLE_EQ(time_after(point, {}), (3 + 3 + 23 + 3) / 2.0);
}

TEST(Replay, CollectivesBeginWithTheLast) {
  TracedPoint point;
  for (const int rank : {0, 1}) {
    const Seconds ready = 1 + rank;
    point.spans.push_back({rank, step(Lane::kCompute, 0, 0, 0, ready)});
    Span ring = message("ring", -1, 1, ready, 8, 9);
    ring.time = {.latency = 2, .fixed = 0, .reduce = 1, .alone = -1};
    point.spans.push_back({rank, ring});
    point.spans.push_back({rank, step(Lane::kWait, 1, 0, ready, 8, 9)});
  }
  EXPECT_DOUBLE_EQ(time_after(point, {}), 8);
  EXPECT_DOUBLE_EQ(time_after(point, {.bandwidth = 3}), 2 + 2 + 1 + 1);
  EXPECT_DOUBLE_EQ(time_after(point, {.latency = 0, .compute = 2}), 1 + 0 + 0.5 + 3);
}

// In a tree rank 2 sends what it has to rank 1, and that its sum with its own, which takes 1 s, to
// rank 0. Each message takes 1 s to set out and 2 s on its sender's link. Rank 0 comes last.
TracedPoint tree() {
  TracedPoint point;
  const auto add = [&](int rank, const Span& span) { point.spans.push_back({rank, span}); };
  constexpr std::uint64_t kTree = 99;
  constexpr Seconds kReady[] = {5, 0, 0};
  constexpr Seconds kEnds[] = {8, 8, 3};
  for (const int rank : {2, 1}) {
    const Seconds begin = rank == 2 ? 0 : 5;
    const std::uint64_t id = 7 + rank;
    const std::string link = "up " + std::to_string(rank);
    point.network.links[link] = 50;
    point.network.routes[{rank, rank - 1}].links = {link};
    Span send = message("send", rank - 1, 1, begin, begin + 3, id);
    Span receive = message("receive", rank, 1, begin, begin + 3, id);
    send.round = receive.round = {kTree, 2 - rank};
    add(rank, send);
    add(rank - 1, receive);
  }
  Span sum = message("add", -1, -1, 3, 4, 0);
  sum.round = {kTree, 0};
  add(1, sum);
  for (const int rank : {0, 1, 2}) {
    if (kReady[rank] > 0) add(rank, step(Lane::kCompute, 0, 0, 0, kReady[rank]));
    const int position = kReady[rank] > 0 ? 1 : 0;
    Span whole = message("tree", -1, position, kReady[rank], kEnds[rank], kTree);
    add(rank, whole);
    add(rank, step(Lane::kWait, position, 0, kReady[rank], kEnds[rank], kTree));
  }
  return point;
}

TEST(Replay, GoesThroughTheRoundsOfACollective) {
  const TracedPoint point = tree();
  const EventGraph graph = event_graph(point);
  const auto ends = [&](const Change& change) {
    const std::vector<Moment> moments = replay(graph, point.network, change);
    std::vector<Seconds> all;
    for (const Windows& windows : periods(graph, moments, {.workers = 3}))
      for (const auto& [rank, window] : windows) all.push_back(window.end);
    return all;
  };
  EXPECT_EQ(ends({}), (std::vector<Seconds>{8, 8, 3}));
  EXPECT_EQ(ends({.latency = 0}), (std::vector<Seconds>{7, 7, 2}));
  // Now what rank 0 waits for comes last.
  EXPECT_EQ(ends({.compute = 10}), (std::vector<Seconds>{6.1, 6.1, 3}));
}

// The trace shows only the receiver of what rank 0 sent after its last iteration.
TEST(Replay, SendsAfterTheLastIteration) {
  TracedPoint point = two_senders();
  point.spans.push_back({2, message("receive", 0, 0, 10, 13, 99)});
  const EventGraph graph = event_graph(point);
  EXPECT_DOUBLE_EQ(replay(graph, point.network, {}).back().begin, 10);
  EXPECT_DOUBLE_EQ(replay(graph, point.network, {.compute = 2}).back().begin, 2.5 + 5);
}

/// Whether what rank 0 sent after its last iteration, at these times, went in turn.
bool go_in_turn(const std::vector<Moment>& times) {
  TracedPoint point = two_senders();
  std::uint64_t id = 99;
  for (const Moment& time : times)
    point.spans.push_back({2, message("receive", 0, 0, time.begin, time.end, id++)});
  const EventGraph graph = event_graph(point);
  return graph[boost::num_vertices(graph) - 1].in_turn;
}

// Within a host a message takes no time.
TEST(Replay, LetsThoseTakeTurnsThatBeginWhereAnotherEnds) {
  EXPECT_TRUE(go_in_turn({{10, 13}, {13, 16}}));
  EXPECT_FALSE(go_in_turn({{10, 13}, {10, 14}}));
  EXPECT_FALSE(go_in_turn({{10, 10}}));
  EXPECT_FALSE(go_in_turn({{10, 10}, {10, 13}}));
}

TEST(Lines, LetTheMostUrgentGoNext) {
  Lines lines;
  Event plain;
  plain.kind = EventKind::kMessage;
  plain.source = 0;
  plain.destination = 1;
  Event urgent = plain;
  urgent.priority = 1;
  EXPECT_TRUE(lines.ask(plain, 1));
  EXPECT_TRUE(lines.ask(plain, 2));
  EXPECT_FALSE(lines.ask(plain, 3));
  EXPECT_FALSE(lines.ask(urgent, 4));
  EXPECT_EQ(lines.done(plain), EventId{4});
  EXPECT_EQ(lines.done(plain), EventId{3});
  EXPECT_EQ(lines.done(plain), std::nullopt);
  EXPECT_EQ(lines.done(plain), std::nullopt);
  EXPECT_TRUE(lines.ask(plain, 5));
}

TEST(Replay, RefusesACircle) {
  EventGraph graph(2);
  boost::add_edge(0, 1, graph);
  boost::add_edge(1, 0, graph);
  EXPECT_THROW(replay(graph, {}, {}), NoEnd);
}

}  // namespace
}  // namespace tandem
