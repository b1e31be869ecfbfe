#include "core/command/folder_claim.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/command/process.h"

namespace tandem {

namespace fs = std::filesystem;

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

/// Those that a folder is in, as it is written and as it is found through links.
std::set<fs::path> folders_around(const fs::path& folder) {
  std::set<fs::path> around;
  std::error_code missing;
  for (fs::path inner : {fs::absolute(folder), fs::weakly_canonical(folder, missing)}) {
    for (; inner.has_relative_path(); inner = inner.parent_path()) {
      const fs::path found = fs::canonical(inner.parent_path(), missing);
      if (!missing) around.insert(found);
    }
  }
  return around;
}

/// Others lock folders for purposes of their own.
bool holds_unfinished(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(fs::directory_iterator(folder, ignored), [](const auto& entry) {
    return entry.path().filename().string().starts_with(kUnfinishedPrefix);
  });
}

/// The command that has claimed a folder that is there, so that nobody could claim it for
/// `sharing`; empty where none has.
std::string claimant_of(const fs::path& folder, Sharing sharing) {
  const LockFile look = LockFile::of_folder(folder, sharing);
  return look.is_taken() && holds_unfinished(folder) ? holder_of(look.descriptor()) : "";
}

}  // namespace

// A command that starts in a folder within or around looks at this one for a moment.
FolderClaim::FolderClaim(const fs::path& folder, Sharing sharing) {
  constexpr Seconds kPatience = 1;
  lock_ = LockFile::of_folder(folder, sharing, kPatience);
  if (lock_.is_taken())
    throw InputError(
        fmt::format("{}: {} writes to this folder; wait for its end, or give another --out",
                    folder.string(), holder_of(lock_.descriptor())));
}

void FolderClaim::require_none_around(const fs::path& folder) {
  for (const fs::path& around : folders_around(folder)) {
    const std::string claimant = claimant_of(around, Sharing::kWithOthers);
    if (!claimant.empty())
      throw InputError(fmt::format(
          "{}: {} writes to {}, which this folder is in; wait for its end, or give another --out",
          folder.string(), claimant, around.string()));
  }
}

// Alone: whoever shares the folder with others shares it with none that writes it as a whole.
void FolderClaim::require_none_of(const std::vector<fs::path>& within, const fs::path& folder) {
  for (const fs::path& inner : within) {
    std::error_code missing;
    if (!fs::is_directory(inner, missing)) continue;
    const std::string claimant = claimant_of(inner, Sharing::kAlone);
    if (!claimant.empty())
      throw InputError(fmt::format(
          "{}: {} writes to {}, which this command writes to too; wait for its end, or give "
          "another --out",
          folder.string(), claimant, inner.string()));
  }
}

}  // namespace tandem
