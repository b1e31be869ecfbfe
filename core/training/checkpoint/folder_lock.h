#pragma once

#include <filesystem>

#include "core/base/lock_file.h"
#include "core/base/missing_folders.h"
#include "core/base/seconds.h"

namespace tandem {

/// Held by every member for as long as it may write to a folder of checkpoints, so that a run that
/// goes on from there waits until the last of a killed job's members is gone: the file `lock` in
/// the folder, shared with the job's other members. Holds nothing where the folder can't be
/// written. Who waits for it keeps it for a moment; throws InputError where somebody does for long,
/// and RunError where `point` is gone by then: the member's file, which goes with the command that
/// started it (a moment later where that was killed, unless the next has the same results folder),
/// so that another may have found the folder free and gone on from there.
LockFile lock_of_member(const std::filesystem::path& folder, const std::filesystem::path& point);

/// Of the command that starts jobs: keeps other commands from a folder of checkpoints for as long
/// as it lives, whether a job of its own runs or not. With it go the files of the locks, and
/// folders that it made and that are empty.
class CommandLock {
 public:
  /// Waits until neither another command nor a member of a job holds the folder. Throws InputError
  /// where it is held for longer than a killed job takes to end, and where the folder can't be
  /// written.
  explicit CommandLock(const std::filesystem::path& folder);
  CommandLock(CommandLock&&) = default;
  CommandLock& operator=(CommandLock&&) = delete;
  ~CommandLock();

 private:
  std::filesystem::path folder_;
  MissingFolders missing_;  ///< before it began
  LockFile lock_;
};

/// Waits for so long at most until no member holds the folder; whether none does. Throws InputError
/// where the folder can't be written.
[[nodiscard]] bool wait_until_unlocked(const std::filesystem::path& folder, Seconds patience);

}  // namespace tandem
