#include "core/base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTries = 1000;  // to lock what others remove, or what can't be made

bool names(const fs::path& path, int file) {
  struct stat own = {}, there = {};
  return ::fstat(file, &own) == 0 && ::stat(path.c_str(), &there) == 0 &&
         own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

}  // namespace

LockFile::LockFile(const fs::path& file, Sharing sharing, Seconds patience) {
  lock(file, sharing, false, patience);
}

LockFile LockFile::of_folder(const fs::path& folder, Sharing sharing, Seconds patience) {
  LockFile lock;
  lock.lock(folder, sharing, true, patience);
  return lock;
}

LockFile::~LockFile() {
  close();
}

bool LockFile::is_taken() const {
  return error_ == EWOULDBLOCK;
}

void LockFile::lock(const fs::path& path, Sharing sharing, bool is_folder, Seconds patience) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kMoment(10);
  const auto deadline = steady_clock::now() + std::chrono::duration<Seconds>(patience);
  std::error_code ignored;  // which opening tells of
  path_ = fs::absolute(path, ignored);
  try_to_lock(sharing, is_folder);
  while (is_taken() && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kMoment);
    try_to_lock(sharing, is_folder);
  }
}

// Who held it may have removed it, and its folder, when it ended: then it is made anew.
void LockFile::try_to_lock(Sharing sharing, bool is_folder) {
  std::error_code ignored;  // which opening tells of
  const int flags = O_CLOEXEC | (is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT);
  const int operation = LOCK_NB | (sharing == Sharing::kAlone ? LOCK_EX : LOCK_SH);
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (tries > 0) std::this_thread::yield();  // to who is about to remove it
    close();
    fs::create_directories(is_folder ? path_ : path_.parent_path(), ignored);
    file_ = ::open(path_.c_str(), flags, 0666);
    error_ = file_ < 0 || ::flock(file_, operation) != 0 ? errno : 0;
    if (error_ == 0 ? names(path_, file_) : error_ != ENOENT) return;
  }
  error_ = ENOENT;
}

void LockFile::remove() const {
  if (holds()) ::unlink(path_.c_str());
}

void LockFile::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace tandem
