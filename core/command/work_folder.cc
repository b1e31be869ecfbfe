#include "core/command/work_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

fs::path outermost_missing(fs::path folder) {
  fs::path missing;
  std::error_code ignored;
  for (; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path()) {
    missing = folder;
    if (folder == folder.parent_path()) break;
  }
  return missing;
}

}  // namespace

WorkFolder::WorkFolder(const fs::path& out)
    : out_(fs::absolute(out).lexically_normal()), first_made_(outermost_missing(out_)) {
  require_writable_folder(out_);
  std::string name = (out_ / ".tandem-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw InputError(
        fmt::format("{}: can't write in this folder: {}", out_.string(), std::strerror(errno)));
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (first_made_.empty()) return;
  for (fs::path folder = out_; fs::remove(folder, ignored); folder = folder.parent_path())
    if (folder == first_made_) break;
}

}  // namespace tandem
