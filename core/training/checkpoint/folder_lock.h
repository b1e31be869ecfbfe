#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/missing_folders.h"

namespace tandem {

/// Held by every member for as long as it may write to a folder of checkpoints, so that a run that
/// goes on from there waits until the last of a killed job's members is gone. A file `lock` in the
/// folder, which is made where it is missing, and goes with the command that started the job.
class FolderLock {
 public:
  FolderLock() = default;
  /// Shares it with the job's other members; holds nothing where the folder can't be written.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept { *this = std::move(other); }
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(commands_, other.commands_);
    return *this;
  }
  ~FolderLock();

  /// For the command that starts jobs: waits, as wait_until_unlocked() and with its errors, until
  /// neither another command nor a member of a job holds the folder, and keeps other commands away
  /// for as long as it lives, whether a job of its own runs or not. With it go the files of the
  /// locks, and folders that it made and that are empty.
  static FolderLock for_command(const std::filesystem::path& folder);

 private:
  friend void wait_until_unlocked(const std::filesystem::path& folder);

  /// What a command holds.
  struct Command {
    std::filesystem::path folder;
    MissingFolders missing;  ///< before it began
  };

  FolderLock(const std::filesystem::path& folder, const char* name);
  void remove_files() const;

  int file_ = -1;
  std::optional<Command> commands_;  ///< nothing for members
};

/// Waits until nobody holds the folder's lock. Throws InputError where it is held for longer than a
/// killed job takes to end, and where the folder can't be written.
void wait_until_unlocked(const std::filesystem::path& folder);

}  // namespace tandem
