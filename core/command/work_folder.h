#pragma once

#include <filesystem>

namespace tandem {

/// A hidden folder inside an output folder for what is still being made; it goes with the object.
/// An output folder that this object made and that is still empty then goes too, so that a run that
/// fails at once leaves nothing.
class WorkFolder {
 public:
  /// Throws InputError where `out` can't be written.
  explicit WorkFolder(const std::filesystem::path& out);
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path out_;
  std::filesystem::path first_made_;  ///< the outermost folder that was missing; empty if none
  std::filesystem::path path_;
};

}  // namespace tandem
