#include "core/base/lock_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace tandem {
namespace {

namespace fs = std::filesystem;

class LockFileTest : public testing::Test {
 protected:
  LockFileTest() { fs::remove_all(folder_); }
  ~LockFileTest() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("lock-file-test-" + std::to_string(getpid()));
};

TEST_F(LockFileTest, KeepsOthersAwayWhileItLives) {
  {
    const LockFile one(folder_ / "deep" / "lock", Sharing::kAlone);
    ASSERT_TRUE(one.holds());
    const LockFile other(folder_ / "deep" / "lock", Sharing::kWithOthers);
    EXPECT_FALSE(other.holds());
    EXPECT_TRUE(other.is_taken());
    EXPECT_EQ(other.error(), 0);
    other.remove();
    EXPECT_TRUE(fs::exists(folder_ / "deep" / "lock")) << "removed by who did not hold it";
  }
  const LockFile some(folder_ / "deep" / "lock", Sharing::kWithOthers);
  const LockFile more(folder_ / "deep" / "lock", Sharing::kWithOthers);
  EXPECT_TRUE(some.holds() && more.holds());
  more.remove();
  EXPECT_FALSE(fs::exists(folder_ / "deep" / "lock"));
}

TEST_F(LockFileTest, OfAFolderLeavesNoFile) {
  const LockFile one = LockFile::of_folder(folder_, Sharing::kAlone);
  ASSERT_TRUE(one.holds());
  EXPECT_TRUE(LockFile::of_folder(folder_, Sharing::kAlone).is_taken());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LockFileTest, WaitsForWhoKeepsItAsLongAsItIsToldTo) {
  std::optional<LockFile> one(std::in_place, folder_ / "lock", Sharing::kAlone);
  EXPECT_TRUE(LockFile(folder_ / "lock", Sharing::kAlone, 0.05).is_taken());
  std::atomic<bool> tries = false;
  std::jthread keeps([&] {
    while (!tries) std::this_thread::yield();
    one.reset();
  });
  tries = true;
  EXPECT_TRUE(LockFile(folder_ / "lock", Sharing::kAlone, 60).holds());
}

TEST_F(LockFileTest, SaysWhatCanNotBeLocked) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "";
  const LockFile none(folder_ / "file" / "lock", Sharing::kAlone);
  EXPECT_FALSE(none.holds() || none.is_taken());
  EXPECT_EQ(none.error(), ENOTDIR);
}

TEST_F(LockFileTest, DoesNotTryForEver) {
  fs::create_directories(folder_);
  fs::create_symlink("nowhere/at/all", folder_ / "link");
  EXPECT_EQ(LockFile(folder_ / "link" / "lock", Sharing::kAlone).error(), ENOENT);
}

// Each removes the file and its folder at its end, so that others open what is gone.
TEST_F(LockFileTest, OfAFolderThatOthersRemoveIsHeldByOneAtATime) {
  std::atomic<int> holders = 0;
  std::atomic<bool> were_two = false, was_none = false;
  const auto work = [&] {
    for (int held = 0; held < 300;) {
      const LockFile lock(folder_ / "lock", Sharing::kAlone);
      if (lock.error() != 0) was_none = true;
      if (!lock.holds()) continue;
      ++held;
      if (++holders > 1) were_two = true;
      --holders;
      lock.remove();
      std::error_code not_empty;
      fs::remove(folder_, not_empty);
    }
  };
  std::vector<std::jthread> all;
  all.reserve(4);
  for (int i = 0; i < 4; ++i) all.emplace_back(work);
  all.clear();
  EXPECT_FALSE(were_two);
  EXPECT_FALSE(was_none) << "went without a lock where the folder was removed";
}

}  // namespace
}  // namespace tandem
