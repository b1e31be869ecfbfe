#include "core/training/checkpoint/keep.h"

#include "core/base/error.h"
#include "core/training/checkpoint/choose.h"
#include "core/training/checkpoint/manifest.h"

namespace tandem {

KeptCheckpoints::KeptCheckpoints(const std::filesystem::path& folder, const Scenario& scenario,
                                 int newest)
    : folder_(folder), scenario_(scenario) {
  for (const int iteration : complete_checkpoints(folder_))
    if (iteration <= newest && is_ours(iteration).value_or(false)) kept_.insert(iteration);
}

// Newer ones than this run's are of a run before it, which may still be wanted.
void KeptCheckpoints::add(int iteration) {
  kept_.insert(iteration);
  while (kept_.size() > static_cast<std::size_t>(scenario_.checkpoint->keep))
    kept_.erase(kept_.begin());
  for (const int there : all_checkpoints(folder_))
    if (there < iteration && !kept_.contains(there) && is_ours(there).value_or(true))
      remove_checkpoint(checkpoint_path(folder_, there));
}

std::optional<bool> KeptCheckpoints::is_ours(int iteration) const {
  try {
    return mismatch(Manifest::load(checkpoint_path(folder_, iteration)), scenario_).empty();
  } catch (const OtherVersion&) {
    return false;
  } catch (const RunError&) {  // what is damaged is of nobody
    return std::nullopt;
  }
}

}  // namespace tandem
