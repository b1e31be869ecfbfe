#include "core/command/leftover_ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace tandem {
namespace {

// No other process works there, not even another run of this test.
std::string own_folder() {
  return fmt::format("/leftovers-of-{}", getpid());
}

/// A process of that name, stopped, with `word` in its command line.
pid_t start_stopped(const std::string& name, const std::string& word) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("sh", name.c_str(), "-c", "kill -STOP $$", word.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  return child;
}

bool was_killed(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

bool is_there(pid_t child) {
  return waitpid(child, nullptr, WNOHANG) == 0;
}

TEST(LeftoverRanks, AreKilledThoughTheyAreStopped) {
  const pid_t rank = start_stopped("/bin/tandem-run", own_folder() + "/point-0/point.json");
  kill_ranks_in(own_folder());
  EXPECT_TRUE(was_killed(rank));
}

TEST(LeftoverRanks, AreNeitherOthersNorThoseOfAnotherFolder) {
  const pid_t reader = start_stopped("less", own_folder() + "/point.json");
  const pid_t other = start_stopped("tandem-run", own_folder() + "-2/point.json");
  const pid_t rank = start_stopped("tandem-run", own_folder() + "/point.json");
  kill_ranks_in(own_folder());
  EXPECT_TRUE(was_killed(rank));  // so that all have been looked at
  for (const pid_t child : {reader, other}) {
    EXPECT_TRUE(is_there(child));
    kill(child, SIGKILL);
    EXPECT_TRUE(was_killed(child));
  }
}

TEST(LeftoverRanks, AreNotThoseOfTheWholeMachine) {
  for (const char* folder : {"", "/", "relative"})
    EXPECT_THROW(kill_ranks_in(folder), std::invalid_argument);
}

}  // namespace
}  // namespace tandem
