#include "real/lab/platform_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/atomic_file.h"
#include "sim/fabric.h"
#include "tests/sim/forked_engine.h"

namespace tandem::lab {
namespace {

constexpr double kPayload = 1448.0 / 1514;  // of a full frame

/// The paths from the first host to each of the others, as SimGrid reads them: bandwidth, and the
/// number of links, by host.
struct Paths {
  std::vector<double> bandwidths;
  std::vector<double> links;
};

std::filesystem::path file_of(const Lab& lab) {
  auto file = std::filesystem::path(testing::TempDir()) / (std::to_string(getpid()) + ".lab.xml");
  write_file_atomically(file, platform_xml(lab));
  return file;
}

Paths paths_of(const Lab& lab) {
  const auto file = file_of(lab);
  const int hosts = lab.hosts();
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        const Engine engine(file, Depth::kSizes);
        ASSERT_EQ(engine.hosts().size(), std::size_t(hosts));
        Fabric fabric(engine, engine.place(hosts));
        for (int host = 1; host < hosts; ++host) {
          values[host] = fabric.path(0, host).bandwidth;
          values[hosts + host] = fabric.path(0, host).latency / 25e-6;
        }
      },
      2 * hosts);
  std::filesystem::remove(file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
  const auto& values = outcome.values;
  return {{values.begin() + 1, values.begin() + hosts}, {values.begin() + hosts + 1, values.end()}};
}

TEST(LabPlatform, AHostIsAsFastAsItsWire) {
  const Paths paths =
      paths_of({.name = "lab", .rates = {125e6, 125e6, 25e6}, .tree = {}, .processors = {0}});
  EXPECT_NEAR(paths.bandwidths[0], 125e6 * kPayload, 1);
  EXPECT_NEAR(paths.bandwidths[1], 25e6 * kPayload, 1);
  for (const double links : paths.links) EXPECT_NEAR(links, 2, 1e-9);
}

TEST(LabPlatform, RacksAreJoinedByTheirUplinks) {
  const Paths paths = paths_of({.name = "lab",
                                .rates = std::vector<double>(6, 125e6),
                                .tree = {.racks = 2, .uplink = 5e7},
                                .processors = {0}});
  for (const int same_rack : {0, 1}) EXPECT_NEAR(paths.bandwidths[same_rack], 125e6 * kPayload, 1);
  for (const int other : {2, 3, 4}) EXPECT_NEAR(paths.bandwidths[other], 5e7 * kPayload, 1);
}

TEST(LabPlatform, SaysWhichHostsShareAProcessor) {
  const auto file = file_of(
      {.name = "lab", .rates = std::vector<double>(3, 125e6), .tree = {}, .processors = {4, 6}});
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        const Engine engine(file, Depth::kSizes);
        for (int host = 0; host < 3; ++host)
          values[host] = std::stod(engine.hosts()[host]->get_property("processor"));
      },
      3);
  std::filesystem::remove(file);
  EXPECT_THAT(outcome.values, testing::ElementsAre(4, 6, 4)) << outcome.message;
}

}  // namespace
}  // namespace tandem::lab
