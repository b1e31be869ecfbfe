#pragma once

#include <filesystem>

namespace tandem {

/// Of a folder and those around it what is missing, before somebody makes them, so that what stays
/// empty can go again.
class MissingFolders {
 public:
  MissingFolders() = default;
  explicit MissingFolders(const std::filesystem::path& folder);

  bool empty() const { return outermost_.empty(); }
  /// Those that were missing, are there and are empty, from the innermost on.
  void remove_empty() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path outermost_;  ///< that is missing; empty where all were there
};

}  // namespace tandem
