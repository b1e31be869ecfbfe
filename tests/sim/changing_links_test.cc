// Links whose bandwidth follows a file, and those that flows do not share.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/faults/faults.h"
#include "sim/job.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

constexpr std::size_t kElements = 25'000'000;  // 0.1 GB

/// Two hosts and a link of 1 GB/s and no latency, with `attributes`.
std::filesystem::path platform_with(const std::filesystem::path& folder,
                                    const std::string& attributes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "link.bw") << "0.0 1e9\n0.02 2.5e8\n0.1 4e9\n";
  const std::filesystem::path file = folder / "platform.xml";
  std::ofstream(file) << R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="all" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="way" bandwidth="1GBps" latency="0" )"
                      << attributes << R"(/>
<route src="a" dst="b"><link_ctn id="way"/></route>
</zone></platform>)";
  return file;
}

/// Has rank 0 send so many messages at once on links of so many times their bandwidth, and `look`
/// at what the link carried. Returns when all have come.
Seconds send(const std::string& attributes, int messages,
             const std::function<void(const LinkUsage&)>& look, const FaultsSpec& faults = {},
             double bandwidth_factor = 1) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tandem-changing-" + std::to_string(getpid()));
  const auto file = platform_with(folder, attributes);
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        Engine engine(file, Depth::kSizes);
        engine.scale_links(bandwidth_factor, 1);
        Scenario scenario;
        scenario.faults = faults;
        NetworkFaults network(engine, scenario, {});
        Job job(engine, {.devices = {unit_device(), unit_device()}, .collectives = {}});
        network.start(job);
        job.run([&](Worker& worker) {
          const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
          std::vector<Handle> handles;
          for (int i = 0; i < messages; ++i)
            handles.push_back(worker.group().rank == 0 ? worker.send(1, i, buffer.view())
                                                       : worker.receive(0, i, buffer.view()));
          for (Handle& handle : handles) worker.wait(handle);
        });
        values[0] = simgrid::s4u::Engine::get_clock();
        look(job.loads().usage(values[0]));
      },
      1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  std::filesystem::remove_all(folder);
  return outcome.values[0];
}

// 20 MB by 0.02 s, 20 MB more by 0.1 s, and 60 MB at 4 GB/s.
TEST(ChangingLinks, SharesAreOfTheBandwidthOfTheMoment) {
  const Seconds end = send(R"(bandwidth_file="link.bw")", 1, [](const LinkUsage& usage) {
    const LinkUsage::Link& link = usage.links.at(0);
    EXPECT_NEAR(*usage.share(link), 1, 1e-6);
    for (std::size_t i = 0; i < link.bins.size(); ++i)
      EXPECT_NEAR(*usage.share(link, i), 1, 1e-6) << i;
  });
  EXPECT_NEAR(end, 0.1 + 0.06 / 4, 1e-9);
}

/// Of a message over the link whose bandwidth follows the file.
Seconds with(const FaultWindow& window, double fault, double bandwidth_factor) {
  FaultsSpec faults;
  faults.links.push_back({.link = "way", .bandwidth_factor = fault, .window = window});
  return send(R"(bandwidth_file="link.bw")", 1, [](const LinkUsage&) {}, faults, bandwidth_factor);
}

// 10 MB, then 5 at half of 1 GB/s, 3.75 at half of 250 MB/s, 12.5 at 250 MB/s, the rest at 4 GB/s.
TEST(ChangingLinks, AFaultsFactorIsOfTheBandwidthOfTheMoment) {
  EXPECT_NEAR(with({.from = 0.01, .until = 0.05}, 0.5, 1), 0.1 + 0.06875 / 4, 1e-9);
}

// 40 MB by 0.02 s, 40 MB more by 0.1 s, and 20 MB at 8 GB/s.
TEST(ChangingLinks, FactorsOfTheWholeRunAreToo) {
  EXPECT_NEAR(with({}, 2, 1), 0.1 + 0.02 / 8, 1e-9);
  EXPECT_NEAR(with({}, 1, 2), 0.1 + 0.02 / 8, 1e-9);
  EXPECT_NEAR(with({}, 4, 0.5), 0.1 + 0.02 / 8, 1e-9);
}

TEST(ChangingLinks, WhatFlowsDoNotShareHasNoCapacityInAll) {
  const Seconds end = send(R"(sharing_policy="FATPIPE")", 3, [](const LinkUsage& usage) {
    const LinkUsage::Link& link = usage.links.at(0);
    EXPECT_FALSE(usage.share(link));
    EXPECT_FALSE(usage.peak(link));
    EXPECT_NEAR(link.bytes, 0.3e9, 1);
    for (std::size_t i = 0; i + 1 < link.bins.size(); ++i)
      EXPECT_NEAR(link.bins[i], 3e9 * usage.bin, 1);
  });
  EXPECT_NEAR(end, 0.1, 1e-9);
}

}  // namespace
}  // namespace tandem
