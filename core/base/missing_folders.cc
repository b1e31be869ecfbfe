#include "core/base/missing_folders.h"

namespace tandem {

namespace fs = std::filesystem;

MissingFolders::MissingFolders(const fs::path& folder)
    : folder_(fs::absolute(folder).lexically_normal()) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "a/"
  std::error_code ignored;
  for (fs::path at = folder_; !fs::exists(at, ignored) && at != at.parent_path();
       at = at.parent_path())
    outermost_ = at;
}

void MissingFolders::remove_empty() const {
  if (outermost_.empty()) return;
  std::error_code ignored;
  for (fs::path at = folder_; fs::remove(at, ignored) && at != outermost_; at = at.parent_path())
    continue;
}

}  // namespace tandem
