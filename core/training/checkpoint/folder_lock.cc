#include "core/training/checkpoint/folder_lock.h"

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

constexpr const char* kMembers = "lock";
constexpr const char* kCommand = "command";

LockFile require(const std::filesystem::path& folder, const char* name, Sharing sharing) {
  constexpr Seconds kPatience = 20;
  LockFile lock(folder / name, sharing, kPatience);
  if (lock.is_taken())
    throw InputError(fmt::format(
        "another run still writes to {}; wait for its end, or give another checkpoint.path",
        folder.string()));
  return lock;
}

}  // namespace

LockFile lock_of_member(const std::filesystem::path& folder, const std::filesystem::path& point) {
  LockFile lock = require(folder, kMembers, Sharing::kWithOthers);
  if (!std::filesystem::exists(point))
    throw RunError("the command that started this run has ended");
  return lock;
}

CommandLock::CommandLock(const std::filesystem::path& folder) : folder_(folder), missing_(folder) {
  require_writable_folder(folder);
  lock_ = require(folder, kCommand, Sharing::kAlone);
  const LockFile members = require(folder, kMembers, Sharing::kAlone);
}

CommandLock::~CommandLock() {
  if (!lock_.holds()) return;  // it was moved away, or files can't be locked here
  // While one of the members is still about to end, theirs stays.
  std::error_code ignored;
  if (std::filesystem::exists(folder_, ignored))
    LockFile(folder_ / kMembers, Sharing::kAlone).remove();
  lock_.remove();
  missing_.remove_empty();
}

bool wait_until_unlocked(const std::filesystem::path& folder, Seconds patience) {
  require_writable_folder(folder);
  return !LockFile(folder / kMembers, Sharing::kAlone, patience).is_taken();
}

}  // namespace tandem
