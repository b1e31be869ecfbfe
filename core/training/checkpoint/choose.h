#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/training/checkpoint/manifest.h"

namespace tandem {

/// What of a scenario has to be the same for a training to go on as it began: all that decides
/// about its weights but how long it is and how many members share the work.
nlohmann::json training_identity(const Scenario& scenario);

/// What keeps this scenario from going on from a checkpoint; empty where nothing does.
std::string mismatch(const Manifest& manifest, const Scenario& scenario);

/// A checkpoint that is there, whole and fits, with all members' files. Throws RunError that says
/// what is wrong with it.
struct OpenCheckpoint {
  OpenCheckpoint(const std::filesystem::path& checkpoint, const Scenario& scenario);

  Manifest manifest;
  std::vector<MemberFile> files;  ///< by rank
};

/// What keeps the scenario from going on from a checkpoint, all of which is read: empty where
/// nothing does.
std::string refusal_of(const std::filesystem::path& checkpoint, const Scenario& scenario);

/// Which checkpoint to go on from.
struct CheckpointChoice {
  std::optional<int> iteration;      ///< none where no run has completed one
  std::vector<std::string> refused;  ///< newer ones, and why: a line each
};

/// The newest checkpoint in `folder` that is whole and fits. Throws InputError where there are some
/// but none can be used.
CheckpointChoice choose_checkpoint(const std::filesystem::path& folder, const Scenario& scenario);

}  // namespace tandem
