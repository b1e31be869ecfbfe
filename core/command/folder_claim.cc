#include "core/command/folder_claim.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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

}  // namespace

FolderClaim::FolderClaim(const std::filesystem::path& folder, Sharing sharing)
    : lock_(LockFile::of_folder(folder, sharing)) {
  if (lock_.is_taken())
    throw InputError(
        fmt::format("{}: {} writes to this folder; wait for its end, or give another --out",
                    folder.string(), holder_of(lock_.descriptor())));
}

}  // namespace tandem
