#include "core/training/checkpoint/folder_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/core/data/files.h"

namespace tandem {
namespace {

bool is_free(const std::filesystem::path& file) {
  const int own = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  const bool free = flock(own, LOCK_EX | LOCK_NB) == 0;
  close(own);
  return free;
}

TEST(FolderLock, OfACommandKeepsOtherCommandsAwayAndNotItsMembers) {
  const TemporaryFolder folder;
  {
    const FolderLock command = FolderLock::for_command(folder.path());
    EXPECT_FALSE(is_free(folder.path() / "command"));
    wait_until_unlocked(folder.path());  // of members
    const FolderLock member(folder.path());
    EXPECT_FALSE(is_free(folder.path() / "lock"));
  }
  EXPECT_TRUE(is_free(folder.path() / "command"));
  EXPECT_TRUE(is_free(folder.path() / "lock"));
}

}  // namespace
}  // namespace tandem
