#include "core/training/checkpoint/folder_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

bool is_free(const std::filesystem::path& file) {
  const int own = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  const bool free = flock(own, LOCK_EX | LOCK_NB) == 0;
  close(own);
  return free;
}

TEST(CommandLock, OfACommandKeepsOtherCommandsAwayAndNotItsMembers) {
  const TemporaryFolder folder;
  {
    const CommandLock command(folder.path());
    EXPECT_FALSE(is_free(folder.path() / "command"));
    EXPECT_TRUE(wait_until_unlocked(folder.path(), 0));  // of members
    const LockFile member = lock_of_member(folder.path(), "/dev/null");
    EXPECT_FALSE(wait_until_unlocked(folder.path(), 0.05));
    EXPECT_FALSE(is_free(folder.path() / "lock"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CommandLock, OfACommandLeavesNothingButWhatWasWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path empty = folder.path() / "a/b", written = folder.path() / "c/d";
  { const CommandLock command(empty); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  {
    const CommandLock command(written);
    std::ofstream(written / "checkpoint") << "x";
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(written), {}), 1);
}

TEST(CommandLock, OfAMemberThatIsStillThereStays) {
  const TemporaryFolder folder;
  std::optional<LockFile> member;
  {
    const CommandLock command(folder.path());
    member = lock_of_member(folder.path(), "/dev/null");
  }
  EXPECT_FALSE(is_free(folder.path() / "lock"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "command"));
}

TEST(CommandLock, OfAMemberWhoseCommandHasEndedIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(lock_of_member(folder.path(), folder.path() / "point.json"), RunError);
  EXPECT_TRUE(is_free(folder.path() / "lock"));
}

}  // namespace
}  // namespace tandem
