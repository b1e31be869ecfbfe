#include "core/command/mpi_errors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/comm/errors.h"

namespace tandem {
namespace {

const std::string kFrame = std::string(74, '-') + "\n";

TEST(LauncherMessage, IsWhatARankSaid) {
  EXPECT_EQ(launcher_message("noise\ntandem: error: no data\n" + kFrame +
                             "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n"),
            "no data");
}

TEST(LauncherMessage, IsWhatSimGridSaidFirst) {
  EXPECT_EQ(
      launcher_message("[0.0] ./src/Context.cpp:112: [root/CRITICAL] Failed to protect stack\n"
                       "Backtrace (displayed in actor maestro):\n"
                       "  ->  0# 0x00007FB10E23DFD0 in libsimgrid.so.3.32\n"),
      "Failed to protect stack");
}

TEST(LauncherMessage, NamesTheRankThatWasKilled) {
  EXPECT_EQ(launcher_message(kFrame +
                             "Primary job  terminated normally, but 1 process returned\n"
                             "a non-zero exit code.\n" +
                             kFrame + kFrame +
                             "mpirun noticed that process rank 1 with PID 0 on node vm exited on "
                             "signal 9 (Killed).\n" +
                             kFrame),
            "rank 1 was killed by signal 9 (Killed)");
  EXPECT_EQ(launcher_message(kFrame +
                             "prterun noticed that process rank 0 with PID 1 on node vm exited on\n"
                             "signal 9 (Killed).\n" +
                             kFrame),
            "rank 0 was killed by signal 9 (Killed)");
  EXPECT_EQ(launcher_message("srun: error: node1: task 3: Segmentation fault\nsrun: done\n"),
            "rank 3 ended: Segmentation fault");
}

TEST(LauncherMessage, IsTheFirstParagraphOfAFrame) {
  EXPECT_EQ(launcher_message(kFrame +
                             "Open RTE detected a bad parameter in hostfile:\n    hosts\n\n"
                             "The bad parameter is on line 2.\n" +
                             kFrame),
            "Open RTE detected a bad parameter in hostfile: hosts");
}

TEST(LauncherMessage, SaysWhatTooFewSlotsNeed) {
  EXPECT_EQ(launcher_message(kFrame +
                             "There are not enough slots available in the system to "
                             "satisfy the 5\nslots that were requested:\n\n  program\n\n"
                             "Either request fewer slots.\n" +
                             kFrame),
            "the hosts have fewer slots than the 5 ranks; add hosts or slots=N to the hostfile, or "
            "take fewer workers");
}

TEST(LauncherMessage, SaysWhyAHostCannotBeReached) {
  const std::string frame = kFrame +
                            "ORTE was unable to reliably start one or more daemons.\n"
                            "This usually is caused by:\n\n* not finding the libraries\n" +
                            kFrame;
  const std::string needs = "; each needs ssh without a password, and Open MPI as it is here";
  EXPECT_EQ(
      launcher_message("ssh: Could not resolve hostname a: Name or service not known\n" + frame),
      "a host can't be reached: ssh: Could not resolve hostname a: Name or service not known" +
          needs);
  EXPECT_EQ(launcher_message(frame), "a host can't be reached" + needs);
  EXPECT_EQ(launcher_message(kFrame + "A warning of something else.\n" + kFrame + frame),
            "a host can't be reached" + needs);
}

TEST(LauncherMessage, IsTheLastLineOtherwise) {
  EXPECT_EQ(launcher_message("first\nlast\n\n"), "last");
  EXPECT_EQ(launcher_message(""), "");
}

TEST(LauncherMessage, IsNotHowToBeHelped) {
  EXPECT_EQ(launcher_message("mpirun: Error: unknown option \"--polite\"\n"
                             "Type 'mpirun --help' for usage.\n"),
            "mpirun: Error: unknown option \"--polite\"");
}

TEST(JobFailure, PrefersTheLineThatARankLeft) {
  const std::filesystem::path folder = testing::TempDir();
  const auto error = folder / "job_failure.error", log = folder / "job_failure.log";
  std::ofstream(log) << "last line\n";
  EXPECT_EQ(job_failure({1, 0}, error, log).message, "last line");
  std::ofstream(error) << "the reason\n";
  EXPECT_EQ(job_failure({1, 0}, error, log).message, "the reason");
  EXPECT_FALSE(job_failure({1, 0}, error, log).lost);
  EXPECT_EQ(job_failure({1, 0}, error, log).exit_code, kExitRunFailed);
  EXPECT_EQ(job_failure({2, 0}, error, log).exit_code, kExitBadInput);
  std::filesystem::remove(error);
  std::filesystem::remove(log);
  EXPECT_EQ(job_failure({3, 0, "mpirun"}, error, log).message,
            "mpirun ended with code 3 and said nothing");
  EXPECT_EQ(
      job_failure({1, 0, "tandem-lab"}, error, log).message,
      "tandem-lab ended with code 1 and said nothing, as where its lab is taken down meanwhile");
  EXPECT_EQ(job_failure({137, 9, "mpirun"}, error, log).message, "mpirun was killed by signal 9");
  EXPECT_EQ(job_failure({2, 0}, error, log).exit_code, kExitRunFailed)
      << "nobody says it was input";
}

TEST(JobFailure, TellsWhichRankWasLost) {
  const std::filesystem::path folder = testing::TempDir();
  const auto error = folder / "lost.error", log = folder / "lost.log";
  std::ofstream(log)
      << "mpirun noticed that process rank 1 with PID 0 on node x exited on signal 9 "
         "(Killed).\n";
  const auto killed = job_failure({137, 0}, error, log).lost;
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->rank, 1);
  EXPECT_EQ(killed->what, "was killed by signal 9 (Killed)");
  std::ofstream(error) << PeerLost(3).what() << "\n";
  const auto missed = job_failure({1, 0}, error, log).lost;
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->rank, 3);
  EXPECT_EQ(missed->what, "was lost");
  std::filesystem::remove(error);
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace tandem
