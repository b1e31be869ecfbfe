#include "core/explain/replay.h"

#include <gtest/gtest.h>

#include <csignal>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/main.h"
#include "core/explain/critical_path.h"
#include "core/explain/lines.h"
#include "core/explain/prediction.h"

namespace tandem {
namespace {

Span step(Lane lane, int position, int iteration, Seconds begin, Seconds end,
          std::uint64_t message = 0) {
  return {.lane = lane,
          .name = "step",
          .begin = begin,
          .end = end,
          .iteration = iteration,
          .phase = "forward",
          .position = position,
          .message = message};
}

Span message(const char* side, int peer, int position, Seconds begin, Seconds end,
             std::uint64_t id) {
  return {.lane = Lane::kCommunication,
          .name = side,
          .begin = begin,
          .end = end,
          .bytes = 100,
          .peer = peer,
          .iteration = 1,
          .position = position,
          .message = id,
          .time = {.latency = 1, .fixed = 0, .reduce = 0, .alone = 3}};
}

// Ranks 0 and 1 compute 2 s in iteration 0. In iteration 1 both compute 3 s and send 100 bytes to
// rank 2 over one link of 50 bytes/s, 1 s away: 1 + 200/50 s. Rank 0 waits for its own message.
TracedPoint two_senders() {
  TracedPoint point;
  point.network.hosts = {"a", "b", "c"};
  point.network.links = {{"wire", 50}};
  point.network.routes = {{{0, 2}, {{"wire"}}}, {{1, 2}, {{"wire"}}}};
  for (const int rank : {0, 1}) {
    const std::uint64_t id = 7 + rank;
    point.spans.push_back({rank, step(Lane::kCompute, 0, 0, 0, 2)});
    point.spans.push_back({rank, step(Lane::kCompute, 1, 1, 2, 5)});
    point.spans.push_back({rank, message("send", 2, 2, 5, 10, id)});
    point.spans.push_back({2, message("receive", rank, 0, 5, 10, id)});
    point.spans.push_back({rank, step(Lane::kWait, 2, 1, 5, 10, id)});
  }
  return point;
}

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
  for (const auto& [first, varies] : {std::pair(0, false), {1, false}, {0, true}}) {
    const Scope scope{.workers = 2, .first = first, .varies = varies};
    Seconds sum = 0;
    for (const PathPart& part : critical_path(graph, point.network, moments, scope))
      sum += part.time;
    EXPECT_DOUBLE_EQ(sum, iteration_time(graph, moments, scope)) << first << varies;
  }
  EXPECT_DOUBLE_EQ(iteration_time(graph, moments, {.workers = 2, .first = 1}), (6.0 + 26.0) / 2);
}

}  // namespace
}  // namespace tandem
