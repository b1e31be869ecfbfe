#pragma once

#include <filesystem>
#include <vector>

#include "core/base/lock_file.h"

namespace tandem {

/// Keeps other commands from a result folder for as long as it lives. It is a lock of the folder
/// itself: it goes with its process, however that ends, and leaves no file.
class FolderClaim {
 public:
  FolderClaim() = default;
  /// Makes the folder where it is missing. Throws InputError, within about a second, where another
  /// command has claimed it. Claims nothing where it can't be made, or where folders can't be
  /// locked, as on some network file systems: writing there will tell of the first.
  FolderClaim(const std::filesystem::path& folder, Sharing sharing);

  /// Throws InputError where another command has claimed a folder for itself alone which this one
  /// is in, such as a comparison's, whose halves are results too. Makes and claims nothing.
  static void require_none_around(const std::filesystem::path& folder);

  /// Throws InputError where another command has claimed one of `within`, folders inside `folder`
  /// that a command which works there writes to as well. Makes and claims nothing.
  static void require_none_of(const std::vector<std::filesystem::path>& within,
                              const std::filesystem::path& folder);

  bool holds() const { return lock_.holds(); }
  void release() { lock_ = {}; }

 private:
  LockFile lock_;
};

}  // namespace tandem
