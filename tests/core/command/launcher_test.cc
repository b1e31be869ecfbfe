// What people give for starting ranks goes to the program that starts them word by word: no shell
// reads it.

#include "core/command/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/command/process.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

constexpr const char* kHostile = "$(touch made) `touch made`; touch made | x > made & '";

TEST(LaunchCommand, CutsALauncherAtBlanksAlone) {
  LaunchOptions options;
  options.launcher = "srun --export='$(x)' ;touch  made";
  EXPECT_THAT(
      launch_command(options, 2, {"program", kHostile}, {}),
      ElementsAre("srun", "--export='$(x)'", ";touch", "made", "-n", "2", "program", kHostile));
}

TEST(LaunchCommand, LeavesAHostfilesNameAsItIs) {
  LaunchOptions options;
  options.hostfile = kHostile;
  EXPECT_THAT(launch_command(options, 2, {"program"}, {}),
              IsSupersetOf({"--hostfile", kHostile, "-n", "2", "program"}));
}

// Open MPI fills a host's slots before the next one's, and calibration has two ranks.
TEST(LaunchCommand, SpreadsRanksOverHostsWhereAsked) {
  LaunchOptions options;
  options.hostfile = "hosts";
  EXPECT_THAT(launch_command(options, 2, {"program"}, {}), Not(Contains("--map-by")));
  options.spreads = true;
  EXPECT_THAT(launch_command(options, 2, {"program"}, {}), IsSupersetOf({"--map-by", "node"}));
}

TEST(Process, GivesItsWordsToNoShell) {
  const TemporaryFolder folder;
  const auto log = folder.path() / "log";
  Process process({"printf", "%s|%s", kHostile, (folder.path() / "*").string()}, log);
  EXPECT_EQ(process.wait().exit_code, 0);
  std::string written;
  std::getline(std::ifstream(log), written);
  EXPECT_EQ(written, std::string(kHostile) + "|" + (folder.path() / "*").string());
  EXPECT_FALSE(std::filesystem::exists("made"));
}

}  // namespace
}  // namespace tandem
