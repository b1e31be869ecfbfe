// Platform files: what is read from them, and what is said of bad ones.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "sim/abort_guard.h"
#include "sim/devices.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::function<void()>& body) {
  const ChildOutcome outcome = in_child([&](std::span<double>) { body(); });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.message.find('\n'), std::string::npos) << outcome.message;
  EXPECT_EQ(outcome.standard_error, "");
  return outcome.message;
}

TEST(Platform, HostsComeInTheOrderOfTheFile) {
  for (const char* platform : {"star", "fat_tree"}) {
    const auto outcome = in_child([=](std::span<double>) {
      const Engine engine(test_platform(platform), Depth::kSizes);
      ASSERT_EQ(engine.hosts().size(), 64U);
      EXPECT_STREQ(engine.hosts()[2]->get_cname(), "node-2");
      EXPECT_STREQ(engine.hosts()[10]->get_cname(), "node-10");
    });
    EXPECT_EQ(outcome.exit_code, 0) << platform << ": " << outcome.message;
  }
}

TEST(Platform, TheThesisHasEightNodesAt2GbitPerSecond) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(TANDEM_PLATFORMS "/gcp_k80.xml", Depth::kSizes);
    Fabric fabric(engine, engine.place(8));
    EXPECT_EQ(fabric.path(0, 7).bandwidth, 2e9 / 8);
    EXPECT_NEAR(fabric.path(0, 7).latency, 50e-6, 1e-12);
    EXPECT_EQ(device_label(host_devices(engine, engine.hosts(), {})), "k80");
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

TEST(Platform, SettingsArePinnedWhateverTheFileSays) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(test_platform("star"), Depth::kSizes);
    const nlohmann::json environment = engine.describe();
    EXPECT_THAT(environment["simgrid"].get<std::string>(), testing::MatchesRegex("[34]\\..*"));
    EXPECT_EQ(environment["settings"]["network/model"], "CM02");
    EXPECT_EQ(environment["settings"]["network/crosstraffic"], "0");
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

TEST(BadPlatform, BrokenXmlNamesTheFileAndLine) {
  const std::string file = test_platform("broken");
  const std::string error = error_of([&] { Engine(file, Depth::kSizes); });
  EXPECT_THAT(error, StartsWith("platform " + file + ":5: "));
}

TEST(BadPlatform, UnknownLinkIsNamed) {
  EXPECT_THAT(error_of([] { Engine(test_platform("unknown_link"), Depth::kSizes); }),
              HasSubstr("Link not found: nowhere"));
}

TEST(BadPlatform, MoreMembersThanHosts) {
  const std::string error = error_of([] {
    const Engine engine(test_platform("star"), Depth::kSizes);
    engine.place(65);
  });
  EXPECT_THAT(error, HasSubstr("has 64 hosts, but the scenario has 65 members"));
}

TEST(BadPlatform, NoRouteBetweenTwoMembers) {
  const auto outcome = try_job("two_islands", 2, exact(), [](Worker& worker, std::span<double>) {
    const Buffer buffer = worker.allocate(10, DType::kByte);
    Handle handle = worker.group().rank == 0 ? worker.send(1, 1, buffer.view())
                                             : worker.receive(0, 1, buffer.view());
    worker.wait(handle);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("has no route from left to right"));
}

TEST(BadPlatform, AnAbortOfSimGridBecomesOneLine) {
  const auto outcome = in_child([](std::span<double>) {
    const AbortGuard guard("platform x.xml");
    std::fputs("[0.000000] [ker/CRITICAL] Something is wrong\nBacktrace (displayed)\n", stderr);
    std::abort();
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.standard_error, "tandem: error: platform x.xml: Something is wrong\n");
}

TEST(Devices, AreReadFromHostProperties) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(test_platform("devices"), Depth::kSizes);
    const auto devices = host_devices(engine, engine.place(4), "fallback");
    EXPECT_EQ(devices[0].name, "test");
    EXPECT_EQ(devices[1].speed, 2);
    EXPECT_EQ(devices[3].name, "fallback");
    EXPECT_EQ(device_label(devices), "test+other+fallback");
    EXPECT_FALSE(alike(devices));
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

TEST(Devices, APacedScenarioHasItsOwnEverywhere) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(test_platform("devices"), Depth::kSizes);
    const auto devices = host_devices(engine, engine.place(5), "paced:test");
    EXPECT_EQ(devices.size(), 5U);
    EXPECT_EQ(devices[2].name, "paced:test");
    EXPECT_EQ(devices[1].speed, 1);
    EXPECT_TRUE(alike(devices));
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

TEST(Devices, AHostWithoutOneIsNamedWithWhatToAdd) {
  const std::string error = error_of([] {
    const Engine engine(test_platform("devices"), Depth::kSizes);
    host_devices(engine, engine.place(4), {});
  });
  EXPECT_THAT(error, HasSubstr("host nameless names no device; add <prop id=\"device\""));
  EXPECT_THAT(error, HasSubstr("--device NAME"));
}

TEST(Devices, ASpeedThatIsNoFactorIsNamed) {
  const std::string error = error_of([] {
    const Engine engine(test_platform("devices"), Depth::kSizes);
    host_devices(engine, engine.place(5), "test");
  });
  EXPECT_THAT(error, HasSubstr("host wrong: property speed is 'fast'"));
}

}  // namespace
}  // namespace tandem
