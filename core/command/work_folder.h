#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "core/base/missing_folders.h"
#include "core/command/folder_claim.h"

namespace tandem {

/// A hidden folder inside an output folder for what is still being made; it goes with the object.
/// An output folder that this object made and that is still empty then goes too, so that a run that
/// fails at once leaves nothing. A process of its own removes them, so that they also go where this
/// one is killed: mpirun, for one, gives the ranks of a job that it ends no time to clean up. It
/// ends the ranks that still work there then. Where both were killed, the next command that works
/// in the output folder alone removes what they left.
class WorkFolder {
 public:
  /// Where nobody looks for results: in the system's folder for what is temporary.
  WorkFolder();
  /// Claims `out`. Throws InputError where that can't be written (RunError where the disk is full),
  /// or another command works there or in a folder around it.
  explicit WorkFolder(const std::filesystem::path& out, Sharing sharing = Sharing::kAlone);
  /// A folder of that name, which begins as those of all work folders and may be left over from a
  /// job that was killed with all of its processes.
  WorkFolder(const std::filesystem::path& out, const std::string& name);
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  void make();
  void remove_left_over() const;
  void start_remover(bool kills_ranks);
  void remove() const;

  std::filesystem::path out_;
  MissingFolders missing_;  ///< of that
  FolderClaim claim_;
  std::filesystem::path path_;
  pid_t remover_ = -1;
  int line_ = -1;  ///< to the remover; our children hold it too, so it waits for those we leave
};

}  // namespace tandem
