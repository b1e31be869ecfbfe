#include "core/training/checkpoint/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

int open_lock(const std::filesystem::path& folder) {
  return ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  file_ = open_lock(folder);
  if (file_ >= 0) ::flock(file_, LOCK_SH | LOCK_NB);
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

void wait_until_unlocked(const std::filesystem::path& folder) {
  using std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(20);
  require_writable_folder(folder);
  const int file = open_lock(folder);
  const auto deadline = steady_clock::now() + kPatience;
  bool is_free = file < 0;  // where files can't be locked there is nothing to wait for
  while (!is_free && steady_clock::now() < deadline) {
    is_free = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!is_free) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (file >= 0) ::close(file);
  if (!is_free)
    throw InputError(fmt::format(
        "another run still writes to {}; wait for its end, or give another checkpoint.path",
        folder.string()));
}

}  // namespace tandem
