// Links that change in the course of time, and other traffic, against closed forms on a star of
// 1 GB/s and 25 us a link.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "sim/faults/faults.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

constexpr double kBandwidth = 1e9;
constexpr Seconds kLatency = 50e-6;  // of two links
constexpr std::size_t kElements = 25'000'000;
constexpr double kBytes = 4.0 * kElements;

Scenario with(const FaultsSpec& faults) {
  Scenario scenario;
  scenario.faults = faults;
  return scenario;
}

/// When rank 1 has a message of kBytes from rank 0, which sends it at `begin`.
Seconds arrival(const FaultsSpec& faults, Seconds begin) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        Engine engine(test_platform("star"), Depth::kSizes);
        NetworkFaults network(engine, with(faults), {});
        Job job(engine, {.devices = {unit_device(), unit_device()}, .collectives = {}});
        network.start_traffic(job.loads());
        job.run([&](Worker& worker) {
          const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
          const bool sends = worker.group().rank == 0;
          if (sends) pass(worker, begin);
          Handle handle =
              sends ? worker.send(1, 0, buffer.view()) : worker.receive(0, 0, buffer.view());
          worker.wait(handle);
          if (!sends) values[0] = worker.now();
        });
        network.finish();
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
  EXPECT_NEAR(arrival({}, 0), kLatency + kBytes / kBandwidth, 1e-9);
}

// 0.1 s of bytes; in 30 ms at half the bandwidth 15 ms worth of them are not moved.
TEST(NetworkFaults, AHalvedLinkMovesHalfInItsWindow) {
  EXPECT_NEAR(arrival(link_fault(0.5, 0.02, 0.05), 0), kLatency + 0.1 + 0.015, 1e-9);
}

TEST(NetworkFaults, WhatBeginsOnADegradedLinkSpeedsUpWhenItRecovers) {
  EXPECT_NEAR(arrival(link_fault(0.5, 0.02, 0.05), 0.03 - kLatency), 0.05 + 0.1 - 0.01, 1e-9);
}

TEST(NetworkFaults, ALinkMayBeDegradedForTheWholeRun) {
  EXPECT_NEAR(arrival(link_fault(0.25, 0, kForever), 0), kLatency + 0.4, 1e-9);
}

TEST(NetworkFaults, LinksOfOneNameGoBothWaysOrOneByItself) {
  FaultsSpec faults = link_fault(0.5, 0, kForever);
  faults.links[0].link = "star_link_0_DOWN";
  EXPECT_NEAR(arrival(faults, 0), kLatency + 0.1, 1e-9);
  faults.links[0].link = "star_link_0_UP";
  EXPECT_NEAR(arrival(faults, 0), kLatency + 0.2, 1e-9);
}

TEST(NetworkFaults, LatencyIsThatWhenAMessageBegins) {
  FaultsSpec faults;
  faults.links.push_back(
      {.link = "star_link_0", .latency_factor = 11, .window = {.from = 1, .until = 2}});
  EXPECT_NEAR(arrival(faults, 0.5), 0.5 + kLatency + 0.1, 1e-9);
  EXPECT_NEAR(arrival(faults, 1.5), 1.5 + kLatency + 250e-6 + 0.1, 1e-9);
  EXPECT_NEAR(arrival(faults, 2.5), 2.5 + kLatency + 0.1, 1e-9);
}

// From node-2, so that they share node-1's link alone.
TrafficSpec traffic_to_receiver() {
  return {.source = "node-2", .destination = "node-1"};
}

TEST(NetworkFaults, OtherFlowsTakeTheirFairShare) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].flows = 3;
  EXPECT_NEAR(arrival(faults, 1), 1 + kLatency + 0.4, 1e-7);
}

TEST(NetworkFaults, AFlowOfARateTakesNoMore) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].rate = 0.2 * kBandwidth;
  EXPECT_NEAR(arrival(faults, 1), 1 + kLatency + 0.1 / 0.8, 1e-7);
}

// 60 ms beside two flows move 20 ms worth of bytes.
TEST(NetworkFaults, TrafficEndsWithItsWindow) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].flows = 2;
  faults.traffic[0].window = {.from = 0.5, .until = 1 + kLatency + 0.06};
  EXPECT_NEAR(arrival(faults, 1), 1 + kLatency + 0.06 + 0.08, 1e-7);
}

// Of 10 MB each, at 1, 1.05 and 1.1 s: each shares the link for 20 ms, which costs 10 ms.
TEST(NetworkFaults, MessagesComeAtIntervals) {
  FaultsSpec faults;
  faults.traffic.push_back(traffic_to_receiver());
  faults.traffic[0].bytes = 10e6;
  faults.traffic[0].every = 0.05;
  EXPECT_NEAR(arrival(faults, 1), 1 + kLatency + 0.1 + 0.03, 1e-7);
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
