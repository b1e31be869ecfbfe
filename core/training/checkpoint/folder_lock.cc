#include "core/training/checkpoint/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
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

bool is_still_there(int file, const std::filesystem::path& folder, const char* name) {
  struct stat own = {}, there = {};
  return ::fstat(file, &own) == 0 && ::stat((folder / name).c_str(), &there) == 0 &&
         own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  file_ = open_lock(folder, kMembers);
  if (file_ >= 0) ::flock(file_, LOCK_SH | LOCK_NB);
}

// For itself. Where files can't be locked there is nothing to wait for.
FolderLock::FolderLock(const std::filesystem::path& folder, const char* name) {
  using std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(20);
  const auto deadline = steady_clock::now() + kPatience;
  file_ = open_lock(folder, name);
  while (file_ >= 0) {
    const bool is_held = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_held && is_still_there(file_, folder, name)) return;
    ::close(file_);  // its holder may have removed it when it ended
    file_ = -1;
    if (steady_clock::now() >= deadline)
      throw InputError(fmt::format(
          "another run still writes to {}; wait for its end, or give another checkpoint.path",
          folder.string()));
    if (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    file_ = open_lock(folder, name);
  }
}

FolderLock::~FolderLock() {
  if (commands_) remove_files();
  if (file_ >= 0) ::close(file_);
}

FolderLock FolderLock::for_command(const std::filesystem::path& folder) {
  Command command{.folder = folder, .missing = MissingFolders(folder)};
  require_writable_folder(folder);
  FolderLock lock(folder, kCommand);
  lock.commands_ = std::move(command);
  const FolderLock members(folder, kMembers);
  return lock;
}

// But for members' lock while one of them is still about to end.
void FolderLock::remove_files() const {
  const int members = open_lock(commands_->folder, kMembers);
  if (members >= 0 && ::flock(members, LOCK_EX | LOCK_NB) == 0)
    ::unlink((commands_->folder / kMembers).c_str());
  if (members >= 0) ::close(members);
  ::unlink((commands_->folder / kCommand).c_str());
  commands_->missing.remove_empty();
}

void wait_until_unlocked(const std::filesystem::path& folder) {
  require_writable_folder(folder);
  const FolderLock members(folder, kMembers);
}

}  // namespace tandem
