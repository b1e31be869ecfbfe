#pragma once

#include <filesystem>
#include <utility>

namespace tandem {

/// Held by every member for as long as it may write to a folder of checkpoints, so that a run that
/// goes on from there waits until the last of a killed job's members is gone. A file `lock` in the
/// folder, which is made where it is missing.
class FolderLock {
 public:
  FolderLock() = default;
  /// Shares it with the job's other members; holds nothing where the folder can't be written.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FolderLock();

  /// For the command that starts jobs: waits, as wait_until_unlocked() and with its errors, until
  /// neither another command nor a member of a job holds the folder, and keeps other commands away
  /// for as long as it lives, whether a job of its own runs or not.
  static FolderLock for_command(const std::filesystem::path& folder);

 private:
  friend void wait_until_unlocked(const std::filesystem::path& folder);

  int file_ = -1;
};

/// Waits until nobody holds the folder's lock. Throws InputError where it is held for longer than a
/// killed job takes to end, and where the folder can't be written.
void wait_until_unlocked(const std::filesystem::path& folder);

}  // namespace tandem
