// Which folders a command keeps others from.

#include "core/command/folder_claim.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <thread>

#include "core/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class FolderClaimTest : public testing::Test {
 protected:
  FolderClaimTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "result");
  }
  ~FolderClaimTest() override { fs::remove_all(folder_); }

  template <typename Look>
  static std::string refusal_of(const Look& look) {
    try {
      look();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  static std::string refusal(const fs::path& folder) {
    return refusal_of([&] { FolderClaim::require_none_around(folder); });
  }
  std::string refusal_within(const std::vector<fs::path>& within) const {
    return refusal_of([&] { FolderClaim::require_none_of(within, folder_); });
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("folder-claim-test-" + std::to_string(getpid()));
  const fs::path result_ = folder_ / "result";
};

TEST_F(FolderClaimTest, IsSeenFromTheFoldersWithin) {
  fs::create_directory_symlink(result_, folder_ / "link");
  fs::create_directories(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", result_ / "half");
  {
    const FolderClaim claim(result_, Sharing::kAlone);
    std::ofstream(result_ / ".tandem-aBcDeF") << "";
    for (const fs::path& within :
         {result_ / "predicted", result_ / "measured" / "1", folder_ / "link" / "predicted",
          result_ / "half", folder_ / "other" / ".." / "link" / "predicted"})
      EXPECT_THAT(refusal(within), testing::HasSubstr("writes to " + result_.string() + ", which"))
          << within;
    EXPECT_EQ(refusal(result_), "") << "which is for the claim itself to say";
    EXPECT_EQ(refusal(folder_ / "result2"), "");
    EXPECT_EQ(refusal(folder_ / "elsewhere" / "deep"), "");
  }
  EXPECT_EQ(refusal(result_ / "predicted"), "") << "what is left over is no claim";
  EXPECT_FALSE(fs::exists(result_ / "predicted"));
}

TEST_F(FolderClaimTest, OfOthersThanCommandsIsNone) {
  const FolderClaim claim(result_, Sharing::kAlone);
  EXPECT_EQ(refusal(result_ / "predicted"), "");
}

TEST_F(FolderClaimTest, IsSeenByWhoWritesToItFromAround) {
  const fs::path missing = folder_ / "missing", file = folder_ / "file";
  std::ofstream(file) << "";
  for (const Sharing sharing : {Sharing::kAlone, Sharing::kWithOthers}) {
    const FolderClaim claim(result_, sharing);
    EXPECT_EQ(refusal_within({result_}), "") << "others than commands lock folders too";
    std::ofstream(result_ / ".tandem-aBcDeF") << "";
    EXPECT_THAT(refusal_within({missing, file, result_}),
                testing::AllOf(testing::StartsWith(folder_.string() + ": another command"),
                               testing::HasSubstr("writes to " + result_.string() + ", which")));
    EXPECT_EQ(refusal_within({missing, file}), "");
    fs::remove(result_ / ".tandem-aBcDeF");
  }
  std::ofstream(result_ / ".tandem-aBcDeF") << "";
  EXPECT_EQ(refusal_within({result_}), "") << "what is left over is no claim";
  EXPECT_FALSE(fs::exists(missing));
}

TEST_F(FolderClaimTest, WaitsForWhoLooksForAMoment) {
  auto look = std::make_unique<FolderClaim>(result_, Sharing::kWithOthers);
  std::atomic<bool> tries = false;
  std::thread looks([&] {
    while (!tries) std::this_thread::yield();
    look.reset();
  });
  tries = true;
  EXPECT_TRUE(FolderClaim(result_, Sharing::kAlone).holds());
  looks.join();
}

}  // namespace
}  // namespace tandem
