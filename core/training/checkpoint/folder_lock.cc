#include "core/training/checkpoint/folder_lock.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

constexpr const char* kMembers = "lock";
constexpr const char* kCommand = "command";

// Where files can't be locked there is nothing to wait for.
LockFile wait_for(const std::filesystem::path& folder, const char* name) {
  using std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(20);
  const auto deadline = steady_clock::now() + kPatience;
  while (true) {
    LockFile lock(folder / name, Sharing::kAlone);
    if (!lock.is_taken()) return lock;
    if (steady_clock::now() >= deadline)
      throw InputError(fmt::format(
          "another run still writes to {}; wait for its end, or give another checkpoint.path",
          folder.string()));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

LockFile lock_of_member(const std::filesystem::path& folder) {
  return {folder / kMembers, Sharing::kWithOthers};
}

CommandLock::CommandLock(const std::filesystem::path& folder) : folder_(folder), missing_(folder) {
  require_writable_folder(folder);
  lock_ = wait_for(folder, kCommand);
  const LockFile members = wait_for(folder, kMembers);
}

CommandLock::~CommandLock() {
  if (!lock_.holds()) return;  // it was moved away, or files can't be locked here
  // While one of the members is still about to end, theirs stays.
  if (std::filesystem::exists(folder_)) LockFile(folder_ / kMembers, Sharing::kAlone).remove();
  lock_.remove();
  missing_.remove_empty();
}

void wait_until_unlocked(const std::filesystem::path& folder) {
  require_writable_folder(folder);
  wait_for(folder, kMembers);
}

}  // namespace tandem
