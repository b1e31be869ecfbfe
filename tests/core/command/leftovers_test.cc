#include "core/command/leftovers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A word of no other process, not even of another run of this test.
const std::string& own_word() {
  static const std::string kWord = fmt::format("leftover-of-{}", getpid());
  return kWord;
}

/// With the word in its command line.
pid_t start_stopped(const std::string& word) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("sh", "sh", "-c", "kill -STOP $$", word.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  return child;
}

TEST(Leftovers, AreKilledThoughTheyAreStopped) {
  const pid_t ours = start_stopped(own_word()), other = start_stopped(own_word() + "0");
  EXPECT_THAT(processes_with(own_word()), ElementsAre(ours));
  kill_processes_with(own_word());
  int status = 0;
  EXPECT_EQ(waitpid(ours, &status, 0), ours);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_THAT(processes_with(own_word()), IsEmpty());
  EXPECT_THAT(processes_with(own_word() + "0"), ElementsAre(other));
  kill(other, SIGKILL);
  waitpid(other, &status, 0);
}

TEST(Leftovers, AreKilledByTheFolderThatTheyWorkIn) {
  const std::string folder = "/" + own_word() + "/work";
  const pid_t within = start_stopped(folder + "/point.json");
  const pid_t other = start_stopped(folder + "-2/point.json");
  kill_processes_in(folder);
  int status = 0;
  EXPECT_EQ(waitpid(within, &status, 0), within);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_THAT(processes_with(folder + "-2/point.json"), ElementsAre(other));
  kill(other, SIGKILL);
  waitpid(other, &status, 0);
}

}  // namespace
}  // namespace tandem
