#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/training/checkpoint/choose.h"

namespace tandem {

/// What the checkpoint after `iteration` holds but for the times, which differ from run to run: by
/// member and name.
inline std::map<std::string, std::string> saved_state(const std::filesystem::path& folder,
                                                      int iteration, const Scenario& scenario) {
  const OpenCheckpoint checkpoint(checkpoint_path(folder, iteration), scenario);
  std::map<std::string, std::string> state;
  for (std::size_t rank = 0; rank < checkpoint.files.size(); ++rank) {
    for (const StatePart& part : checkpoint.files[rank].parts()) {
      if (part.name.starts_with("record.") && part.name != "record.staleness") continue;
      const auto bytes = checkpoint.files[rank].bytes(part);
      state[fmt::format("{} {} {}", rank, part.name, part.offset)] +=
          std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }
  return state;
}

}  // namespace tandem
