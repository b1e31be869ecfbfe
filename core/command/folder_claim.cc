#include "core/command/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/command/process.h"

namespace tandem {
namespace {

/// proc(5): "1: FLOCK  ADVISORY  WRITE 708 08:01:4587529 0 EOF". Empty where it is not there.
std::string process_that_locks(int file) {
  struct stat own = {};
  if (::fstat(file, &own) != 0) return "";
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", major(own.st_dev), minor(own.st_dev), own.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, mode, process, place;
    if (words >> number >> kind >> advisory >> mode >> process >> place && kind == "FLOCK" &&
        place == wanted)
      return process;
  }
  return "";
}

std::string holder_of(int file) {
  const std::string process = process_that_locks(file);
  const std::string command = process.empty() ? "" : command_of(process);
  return command.empty() ? "another command"
                         : fmt::format("another command ({}, process {})", command, process);
}

// Whoever had claimed it may have removed it when it ended.
bool is_still_there(int file, const std::filesystem::path& folder) {
  struct stat own = {}, there = {};
  return ::fstat(file, &own) == 0 && ::stat(folder.c_str(), &there) == 0 &&
         own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

}  // namespace

FolderClaim::FolderClaim(const std::filesystem::path& folder, Sharing sharing) {
  const int lock = (sharing == Sharing::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB;
  do {
    release();
    std::error_code ignored;  // which writing there will tell of
    std::filesystem::create_directories(folder, ignored);
    folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) return;
    if (::flock(folder_, lock) != 0 && errno == EWOULDBLOCK) fail(folder);
  } while (!is_still_there(folder_, folder));
}

void FolderClaim::release() {
  if (folder_ >= 0) ::close(std::exchange(folder_, -1));
}

void FolderClaim::fail(const std::filesystem::path& folder) {
  const std::string holder = holder_of(folder_);
  release();
  throw InputError(
      fmt::format("{}: {} writes to this folder; wait for its end, or give another --out",
                  folder.string(), holder));
}

}  // namespace tandem
