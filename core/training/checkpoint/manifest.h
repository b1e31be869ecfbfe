#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/training/checkpoint/member_file.h"

namespace tandem {

/// Of a checkpoint that is whole, but that another version wrote.
struct OtherVersion : RunError {
  using RunError::RunError;
};

/// What a checkpoint says of itself. It is written last: a folder that has it is complete.
struct Manifest {
  int iteration = 0;             ///< that many were done
  double done = 0;               ///< in iterations of all workers: fewer than these where some
                                 ///< were lost meanwhile
  std::uint64_t next_batch = 0;  ///< of each worker, counted over all epochs
  Membership saved;              ///< by these members; its rank says nothing
  nlohmann::json training;       ///< as training_identity() says
  nlohmann::json figures = {};   ///< as figures_to_json() says
  std::vector<FileSeal> files;   ///< by rank

  void save(const std::filesystem::path& checkpoint) const;
  /// Throws RunError where it is missing, damaged, or of another format: OtherVersion of ours.
  static Manifest load(const std::filesystem::path& checkpoint);
};

/// Of the checkpoint after `iteration` in the folder of a scenario's.
std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int iteration);
std::filesystem::path member_path(const std::filesystem::path& checkpoint, int rank);

/// Iterations of the checkpoints in a folder, the newest first; none where there is none.
std::vector<int> all_checkpoints(const std::filesystem::path& folder);  ///< complete or not
std::vector<int> complete_checkpoints(const std::filesystem::path& folder);

/// Removes a checkpoint, whole or not; nothing where there is anything else in its folder.
void remove_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace tandem
