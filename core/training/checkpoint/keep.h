#pragma once

#include <filesystem>
#include <optional>
#include <set>

#include "core/scenario/scenario.h"

namespace tandem {

/// The checkpoints of one training in a folder, of which the newest are kept.
class KeptCheckpoints {
 public:
  /// Of a run that goes on from the checkpoint after `newest`; 0 where it begins anew. Those before
  /// it are taken for good as far as their manifests say; those after it were refused, or given up,
  /// and don't count. The scenario must outlive it.
  KeptCheckpoints(const std::filesystem::path& folder, const Scenario& scenario, int newest);

  /// That the run has completed one. Removes, as remove_checkpoint() does, what is older and not
  /// among the newest `checkpoint.keep`; nothing of another training.
  void add(int iteration);

 private:
  /// Whether it is of this training; none where its manifest doesn't say.
  std::optional<bool> is_ours(int iteration) const;

  std::filesystem::path folder_;
  const Scenario& scenario_;
  std::set<int> kept_;  ///< iterations
};

}  // namespace tandem
