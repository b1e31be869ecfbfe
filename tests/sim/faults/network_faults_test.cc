// Links that change in the course of time, and other traffic, against closed forms on a star of
// 1 GB/s and 25 us a link.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "sim/faults/faults.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSentElements = 25'000'000;
constexpr double kBytes = 4.0 * kSentElements;

Scenario with(const FaultsSpec& faults) {
  Scenario scenario;
  scenario.faults = faults;
  return scenario;
}

/// When rank 1 has a message of kBytes from rank 0, which sends it at `begin`.
Seconds arrival(const FaultsSpec& faults, Seconds begin, const std::string& platform = "star",
                const Segment& segment = {}) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        Engine engine(test_platform(platform), Depth::kSizes);
        NetworkFaults network(engine, with(faults), segment);
        Job job(engine, {.devices = {unit_device(), unit_device()}, .collectives = {}});
        network.start(job);
        job.run([&](Worker& worker) {
          const Buffer buffer = worker.allocate(kSentElements, DType::kFloat32);
          const bool sends = worker.group().rank == 0;
          if (sends) pass(worker, begin);
          Handle handle =
              sends ? worker.send(1, 0, buffer.view()) : worker.receive(0, 0, buffer.view());
          worker.wait(handle);
          if (!sends) values[0] = worker.now();
        });
      },
      1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return outcome.values[0];
}

FaultsSpec link_fault(double bandwidth_factor, Seconds from, Seconds until) {
  FaultsSpec faults;
  faults.links.push_back({.link = "star_link_0",
                          .bandwidth_factor = bandwidth_factor,
                          .window = {.from = from, .until = until}});
  return faults;
}

TEST(NetworkFaults, NoneLeaveTheClosedForm) {
  EXPECT_NEAR(arrival({}, 0), kStarLatency + kBytes / kStarBandwidth, 1e-9);
}

// 0.1 s of bytes; in 30 ms at half the bandwidth 15 ms worth of them are not moved.
TEST(NetworkFaults, AHalvedLinkMovesHalfInItsWindow) {
  EXPECT_NEAR(arrival(link_fault(0.5, 0.02, 0.05), 0), kStarLatency + 0.1 + 0.015, 1e-9);
}

TEST(NetworkFaults, WhatBeginsOnADegradedLinkSpeedsUpWhenItRecovers) {
  EXPECT_NEAR(arrival(link_fault(0.5, 0.02, 0.05), 0.03 - kStarLatency), 0.05 + 0.1 - 0.01, 1e-9);
}

// Of 0.1 s of bytes, those of 40 ms go at four times the rate.
TEST(NetworkFaults, WhatIsUnderWaySpeedsUpWhereItsLinksWiden) {
  FaultsSpec faults = link_fault(4, 0.06 + kStarLatency, kForever);
  faults.links.push_back(faults.links[0]);
  faults.links[1].link = "star_link_1";
  EXPECT_NEAR(arrival(faults, 0), kStarLatency + 0.06 + 0.04 / 4, 1e-9);
}

// A message that is on its way to the link when its latency changes, at the begin and at the end.
TEST(NetworkFaults, LatencyMayChangeWhileAMessageIsUnderWay) {
  FaultsSpec faults;
  faults.links.push_back({.link = "star_link_0",
                          .latency_factor = 3,
                          .window = {.from = kStarLatency / 2, .until = 0.01 + kStarLatency}});
  EXPECT_NEAR(arrival(faults, 0), kStarLatency + 0.1, 1e-9);
  EXPECT_NEAR(arrival(faults, 0.01), 0.01 + 2 * kStarLatency + 0.1, 1e-9);
}

TEST(NetworkFaults, PathsAreAsTheLinksAreNow) {
  FaultsSpec faults = link_fault(0.5, 1, 2);
  faults.links[0].latency_factor = 3;
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        Engine engine(test_platform("star"), Depth::kSizes);
        NetworkFaults network(engine, with(faults), {});
        Fabric fabric(engine, engine.place(2));
        Job job(engine, {.devices = {unit_device(), unit_device()}, .collectives = {}});
        network.start(job);
        job.run([&](Worker& worker) {
          for (int i = 0; worker.group().rank == 0 && i < 3; ++i) {
            values[2 * i] = fabric.path(0, 1).bandwidth;
            values[2 * i + 1] = fabric.path(0, 1).latency;
            simgrid::s4u::this_actor::sleep_for(i == 0 ? 1.5 : 1);
          }
        });
      },
      6);
  EXPECT_EQ(outcome.values[0], kStarBandwidth);
  EXPECT_EQ(outcome.values[2], kStarBandwidth / 2);
  EXPECT_EQ(outcome.values[4], kStarBandwidth);
  EXPECT_NEAR(outcome.values[1], kStarLatency, 1e-12);
  EXPECT_NEAR(outcome.values[3], 2 * kStarLatency, 1e-12);
  EXPECT_NEAR(outcome.values[5], kStarLatency, 1e-12);
}

TEST(NetworkFaults, ALinkMayBeDegradedForTheWholeRun) {
  EXPECT_NEAR(arrival(link_fault(0.25, 0, kForever), 0), kStarLatency + 0.4, 1e-9);
}

TEST(NetworkFaults, LinksOfOneNameGoBothWaysOrOneByItself) {
  FaultsSpec faults = link_fault(0.5, 0, kForever);
  faults.links[0].link = "star_link_0_DOWN";
  EXPECT_NEAR(arrival(faults, 0), kStarLatency + 0.1, 1e-9);
  faults.links[0].link = "star_link_0_UP";
  EXPECT_NEAR(arrival(faults, 0), kStarLatency + 0.2, 1e-9);
}

TEST(NetworkFaults, LatencyIsThatWhenAMessageBegins) {
  FaultsSpec faults;
  faults.links.push_back(
      {.link = "star_link_0", .latency_factor = 11, .window = {.from = 1, .until = 2}});
  EXPECT_NEAR(arrival(faults, 0.5), 0.5 + kStarLatency + 0.1, 1e-9);
  EXPECT_NEAR(arrival(faults, 1.5), 1.5 + kStarLatency + 250e-6 + 0.1, 1e-9);
  EXPECT_NEAR(arrival(faults, 2.5), 2.5 + kStarLatency + 0.1, 1e-9);
}

// From node-2, so that they share node-1's link alone.
TrafficSpec traffic_to_receiver() {
  return {.source = "node-2", .destination = "node-1"};
}

TEST(NetworkFaults, OtherFlowsTakeTheirFairShare) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].flows = 3;
  EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.4, 1e-7);
}

// After a rest, 10 kB of a message pass the shaper at once; others that take all tokens leave none,
// whether they still go on or have ended.
TEST(NetworkFaults, OtherFlowsLeaveNothingOfAShapersBurst) {
  const Seconds wire = 50e-6, moved = kBytes / 100e6, burst = 10e3 / 100e6;
  FaultsSpec faults;
  EXPECT_NEAR(arrival(faults, 1, "shaped"), 1 + wire + moved - burst, 1e-7);
  faults.traffic.push_back({.source = "a", .destination = "b", .flows = 1});
  EXPECT_NEAR(arrival(faults, 1, "shaped"), 1 + wire + 2 * moved, 1e-7);
  faults.traffic[0].window.until = 1;
  EXPECT_NEAR(arrival(faults, 1, "shaped"), 1 + wire + moved, 0.1 * burst);
  EXPECT_NEAR(arrival(faults, 1.1, "shaped"), 1.1 + wire + moved - burst, 1e-7) << "rested again";
}

TEST(NetworkFaults, AFlowOfARateTakesNoMore) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].rate = 0.2 * kStarBandwidth;
  EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.1 / 0.8, 1e-7);
}

// Above its fair share it gets that, like any flow, and above the link's bandwidth no more.
TEST(NetworkFaults, AFlowOfALargeRateTakesItsFairShare) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  for (const double rate : {0.8, 1.2, 1000.0}) {
    faults.traffic[0].rate = rate * kStarBandwidth;
    EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.2, 1e-7) << rate;
  }
}

TEST(NetworkFaults, AFlowOfASmallRateMovesItsBytes) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        FaultsSpec faults;
        faults.traffic.push_back({.source = "node-2", .destination = "node-3", .rate = 100});
        Engine engine(test_platform("star"), Depth::kSizes);
        NetworkFaults network(engine, with(faults), {});
        Job job(engine, {.devices = {unit_device()}, .collectives = {}});
        network.start(job);
        job.run([](Worker&) { simgrid::s4u::this_actor::sleep_for(2); });
        values[0] = job.loads().usage(2).links.at(0).bytes;
      },
      1);
  EXPECT_NEAR(outcome.values[0], 100 * (2 - kStarLatency), 1e-3);
}

// 60 ms beside two flows move 20 ms worth of bytes.
TEST(NetworkFaults, TrafficEndsWithItsWindow) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].flows = 2;
  faults.traffic[0].window = {.from = 0.5, .until = 1 + kStarLatency + 0.06};
  EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.06 + 0.08, 1e-7);
}

// Of 10 MB each, at 1, 1.05 and 1.1 s: each shares the link for 20 ms, which costs 10 ms.
TEST(NetworkFaults, MessagesComeAtIntervals) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].bytes = 10e6;
  faults.traffic[0].every = 0.05;
  EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.1 + 0.03, 1e-7);
}

// 20 MB each that come every 10 ms: one after the other, they take half of the link.
TEST(NetworkFaults, MessagesThatComeTooFastWaitForEachOther) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].bytes = 20e6;
  faults.traffic[0].every = 0.01;
  faults.traffic[0].window.from = 1 + kStarLatency;
  EXPECT_NEAR(arrival(faults, 1), 1 + kStarLatency + 0.2, 10 * kStarLatency);
}

// The second of the two, when the first is over: its messages come when they would have.
TEST(NetworkFaults, RandomTrafficIsTheSameInAJobThatIsStartedAnew) {
  FaultsSpec faults;
  for (int i = 0; i < 2; ++i) {
    faults.traffic.push_back(traffic_to_receiver());
    faults.traffic[i].bytes = 1e6;
    faults.traffic[i].every = 0.02;
    faults.traffic[i].poisson = true;
  }
  faults.traffic[0].window.until = 0.2;
  const Seconds whole = arrival(faults, 1);
  EXPECT_GT(whole, 1 + kStarLatency + 0.1 + 0.001) << "no traffic beside it";
  EXPECT_NEAR(0.5 + arrival(faults, 0.5, "star", {.begin = 0.5, .ranks = {}}), whole, 1e-7);
}

struct Carried {
  Seconds until;
  double bytes;
};

/// What went over the link into node-1, and until when, in a job of two seconds beside `faults`.
Carried carried_beside(const FaultsSpec& faults) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        Engine engine(test_platform("star"), Depth::kSizes);
        NetworkFaults network(engine, with(faults), {});
        Job job(engine, {.devices = {unit_device()}, .collectives = {}});
        network.start(job);
        job.run([](Worker&) { simgrid::s4u::this_actor::sleep_for(2); });
        values[0] = simgrid::s4u::Engine::get_clock();
        values[1] = job.loads().usage(2).links.at(0).bytes;
      },
      2);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return {outcome.values[0], outcome.values[1]};
}

TEST(NetworkFaults, TrafficEndsWithTheJob) {
  for (const char* kind : {"flows", "rate", "bytes", "window"}) {
    FaultsSpec faults;
    faults.traffic.push_back(traffic_to_receiver());
    TrafficSpec& traffic = faults.traffic[0];
    if (kind == std::string("rate")) {
      traffic.rate = kStarBandwidth;
    } else if (kind == std::string("bytes")) {
      traffic.bytes = 1e12;
      traffic.every = 1;
    } else {
      traffic.flows = 2;
    }
    if (kind == std::string("window")) traffic.window.until = 10;
    const Carried carried = carried_beside(faults);
    EXPECT_NEAR(carried.until, 2, 1e-9) << kind;
    EXPECT_NEAR(carried.bytes, kStarBandwidth * (2 - kStarLatency), 100) << kind;
  }
}

TEST(NetworkFaults, FlowsThatFollowEachOtherAreCountedOnce) {
  FaultsSpec faults;
  for (const FaultWindow& window :
       {FaultWindow{.until = 0.5}, FaultWindow{.from = 0.5, .until = 1}, FaultWindow{.from = 1}}) {
    faults.traffic.push_back(traffic_to_receiver());
    faults.traffic.back().flows = 1;
    faults.traffic.back().window = window;
  }
  const Carried carried = carried_beside(faults);
  EXPECT_NEAR(carried.bytes, kStarBandwidth * (2 - 3 * kStarLatency), 1);
}

TEST(NetworkFaults, WhatThePlatformLacksIsNamedWithTheNearest) {
  const auto error_of = [](const FaultsSpec& faults) {
    return in_child([&](std::span<double>) {
             Engine engine(test_platform("star"), Depth::kSizes);
             require_fault_places(engine, faults);
           })
        .message;
  };
  FaultsSpec faults = link_fault(0.5, 0, 1);
  faults.links[0].link = "star_link_O";
  EXPECT_THAT(error_of(faults), HasSubstr("has no link 'star_link_O'; the nearest is 'star_link_"));
  faults = {};
  faults.traffic.push_back({.source = "node-1", .destination = "nod-2", .flows = 1});
  EXPECT_THAT(error_of(faults), HasSubstr("faults.traffic.destination: platform"));
  EXPECT_THAT(error_of(faults), HasSubstr("has no host 'nod-2'; the nearest is 'node-2'"));
  faults.traffic[0].destination = "node-1";
  EXPECT_THAT(error_of(faults), HasSubstr("have to be two hosts"));
}

}  // namespace
}  // namespace tandem
