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

constexpr const char* kMembers = "lock";
constexpr const char* kCommand = "command";

int open_lock(const std::filesystem::path& folder, const char* name) {
  return ::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

// Where files can't be locked there is nothing to wait for.
void lock_for_itself(int file, const std::filesystem::path& folder) {
  using std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(20);
  const auto deadline = steady_clock::now() + kPatience;
  while (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (steady_clock::now() >= deadline)
      throw InputError(fmt::format(
          "another run still writes to {}; wait for its end, or give another checkpoint.path",
          folder.string()));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  file_ = open_lock(folder, kMembers);
  if (file_ >= 0) ::flock(file_, LOCK_SH | LOCK_NB);
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

FolderLock FolderLock::for_command(const std::filesystem::path& folder) {
  require_writable_folder(folder);
  FolderLock lock;
  lock.file_ = open_lock(folder, kCommand);
  lock_for_itself(lock.file_, folder);
  wait_until_unlocked(folder);
  return lock;
}

void wait_until_unlocked(const std::filesystem::path& folder) {
  require_writable_folder(folder);
  FolderLock members;
  members.file_ = open_lock(folder, kMembers);
  lock_for_itself(members.file_, folder);
}

}  // namespace tandem
