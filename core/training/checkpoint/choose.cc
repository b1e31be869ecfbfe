#include "core/training/checkpoint/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tandem {
namespace {

using nlohmann::json;

// That change nothing about the weights: who does the work, and when it is sent.
constexpr const char* kFreeAlgorithmKeys[] = {"servers",  "placement",  "overlap",
                                              "priority", "early_pull", "pull_overlap",
                                              "prefetch", "stages",     "schedule"};

std::string members_mismatch(const Manifest& manifest, const Scenario& scenario) {
  if (manifest.saved.workers == scenario.workers || !scenario.epochs) return "";
  return fmt::format(
      "it was saved by {} workers, and epochs are other iterations on {}; give iterations",
      manifest.saved.workers, scenario.workers);
}

std::string shown(const json& all, const std::string& pointer) {
  const json::json_pointer at(pointer);
  try {
    return all.contains(at) ? all.at(at).dump() : "none";
  } catch (const json::out_of_range&) {  // another's key is no index of a list here
    return "none";
  }
}

}  // namespace

json training_identity(const Scenario& scenario) {
  const json all = to_json(scenario);
  json identity;
  for (const char* key : {"model", "data", "batch_size", "optimizer", "learning_rate_schedule",
                          "backward_passes_per_step", "clip_norm", "precision",
                          "synchronize_batch_norm", "algorithm", "seed", "threads"})
    if (all.contains(key)) identity[key] = all[key];
  identity["data"].erase("path");  // data may have moved
  identity["data"].erase("prefetch");
  for (const char* key : kFreeAlgorithmKeys) identity["algorithm"].erase(key);
  return identity;
}

std::string mismatch(const Manifest& manifest, const Scenario& scenario) {
  const json here = training_identity(scenario);
  json keys = here.flatten();
  keys.update(manifest.training.flatten());
  // Which follow from the data where nothing is said; the run, which has read it, looks again.
  if (scenario.learning_rate_schedule.steps == 0) keys.erase("/learning_rate_schedule/steps");
  const bool are_others = manifest.saved.workers != scenario.workers;
  // Of fewer workers fewer can be spared.
  if (are_others) keys.erase("/algorithm/backup_workers");
  // Follows from the job's hosts where nothing is said; the run looks again.
  if (are_others || !scenario.algorithm.options.node_size) keys.erase("/algorithm/node_size");
  std::vector<std::string> pointers;
  for (const auto& [pointer, ignored] : keys.items()) pointers.push_back(pointer);
  // A name tells more than the options that come and go with it, such as others' names.
  std::ranges::stable_sort(pointers, {}, [](const std::string& pointer) {
    return std::pair(!pointer.ends_with("/name"), std::ranges::count(pointer, '/'));
  });
  for (const std::string& pointer : pointers) {
    const std::string saved = shown(manifest.training, pointer), wanted = shown(here, pointer);
    if (saved == wanted) continue;
    std::string key = pointer.substr(1);
    std::ranges::replace(key, '/', '.');
    return fmt::format("it is of another training: its {} is {}, here it is {}", key, saved,
                       wanted);
  }
  return members_mismatch(manifest, scenario);
}

OpenCheckpoint::OpenCheckpoint(const std::filesystem::path& checkpoint, const Scenario& scenario)
    : manifest(Manifest::load(checkpoint)) {
  if (checkpoint_path(checkpoint.parent_path(), manifest.iteration) != checkpoint)
    throw RunError(fmt::format("it is the checkpoint after iteration {} under another name",
                               manifest.iteration));
  if (const std::string why = mismatch(manifest, scenario); !why.empty()) throw RunError(why);
  for (std::size_t rank = 0; rank < manifest.files.size(); ++rank)
    files.emplace_back(member_path(checkpoint, static_cast<int>(rank)), manifest.files[rank]);
}

std::string refusal_of(const std::filesystem::path& checkpoint, const Scenario& scenario) {
  try {
    const OpenCheckpoint whole(checkpoint, scenario);
    return "";
  } catch (const RunError& error) {
    return error.what();
  }
}

CheckpointChoice choose_checkpoint(const std::filesystem::path& folder, const Scenario& scenario) {
  CheckpointChoice choice;
  for (const int iteration : complete_checkpoints(folder)) {
    const std::filesystem::path checkpoint = checkpoint_path(folder, iteration);
    const std::string refusal = refusal_of(checkpoint, scenario);
    if (refusal.empty()) {
      choice.iteration = iteration;
      return choice;
    }
    choice.refused.push_back(fmt::format("{}: {}", checkpoint.string(), refusal));
  }
  if (choice.refused.empty()) return choice;
  const std::string others =
      choice.refused.size() > 1
          ? fmt::format("any of {} checkpoints, the newest of which is ", choice.refused.size())
          : "";
  throw InputError(fmt::format("can't go on from {}{}; remove {} to begin anew", others,
                               choice.refused[0], folder.string()));
}

}  // namespace tandem
