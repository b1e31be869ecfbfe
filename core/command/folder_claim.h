#pragma once

#include <filesystem>
#include <utility>

namespace tandem {

/// With whom a command works in a result folder.
enum class Sharing {
  kAlone,
  kWithOthers,  ///< who say the same, as the commands that run some points of a sweep each
};

/// Keeps other commands from a result folder for as long as it lives. It is a lock of the folder
/// itself: it goes with its process, however that ends, and leaves no file.
class FolderClaim {
 public:
  FolderClaim() = default;
  /// Makes the folder where it is missing. Throws InputError, at once, where another command has
  /// claimed it. Claims nothing where it can't be made, or where folders can't be locked, as on
  /// some network file systems.
  FolderClaim(const std::filesystem::path& folder, Sharing sharing);
  FolderClaim(FolderClaim&& other) noexcept { *this = std::move(other); }
  FolderClaim& operator=(FolderClaim&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
  }
  ~FolderClaim() { release(); }

  void release();

 private:
  [[noreturn]] void fail(const std::filesystem::path& folder);

  int folder_ = -1;
};

}  // namespace tandem
