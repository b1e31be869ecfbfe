#include "real/elastic/places.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem::elastic {
namespace {

/// A folder of its own, gone at the end.
struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("places-test-" + std::to_string(getpid()));
};

std::filesystem::path write_hostfile(const Folder& folder, const std::string& text) {
  const std::filesystem::path file = folder.path / "all";
  std::ofstream(file) << text;
  return file;
}

LaunchOptions on(const std::filesystem::path& hostfile) {
  LaunchOptions launch;
  launch.hostfile = hostfile;
  return launch;
}

Scenario of_workers(int workers, int servers = 0) {
  Scenario scenario;
  scenario.workers = workers;
  if (servers > 0) {
    scenario.algorithm.name = "parameter_server";
    scenario.algorithm.server_count = servers;
  }
  return scenario;
}

TEST(Places, AHostfileOfThoseThatAreLeft) {
  const Folder folder;
  const auto file = write_hostfile(folder, "a slots=2\nb slots=2\n");
  const Places places(on(file), of_workers(4));
  EXPECT_EQ(places.hosts(), (std::vector<std::string>{"a", "a", "b", "b"}));
  const auto command = places.command({0, 2, 3}, {1}, {"program"}, folder.path);
  EXPECT_EQ(read_file(folder.path / "hosts"), "a slots=1\nb slots=2\n");
  EXPECT_NE(std::ranges::find(command, (folder.path / "hosts").string()), command.end());
  EXPECT_EQ(command.back(), "program");
  EXPECT_EQ(command[command.size() - 2], "3");
}

TEST(Places, TooFewSlotsAreRefused) {
  const Folder folder;
  const auto file = write_hostfile(folder, "a slots=2\n");
  EXPECT_THROW(Places(on(file), of_workers(3)), InputError);
}

TEST(Places, AServerOfALostHostTakesTheHostOfAWorker) {
  Scenario scenario = of_workers(3, 2);
  scenario.algorithm.placement = Placement::kWorkers;
  const Folder folder;
  LaunchOptions in_lab;
  in_lab.lab = "somewhere";
  const Places places(in_lab, scenario);
  EXPECT_EQ(places.hosts(), (std::vector<std::string>{"h1", "h2", "h3", "h1", "h2"}));
  const auto command = places.command({1, 2, 3, 4}, {0}, {"program"}, folder.path);
  EXPECT_NE(std::ranges::find(command, "1,2,1,1"), command.end());
}

TEST(Places, OfThisMachineHaveNoNames) {
  EXPECT_TRUE(Places({}, of_workers(3)).hosts().empty());
}

}  // namespace
}  // namespace tandem::elastic
