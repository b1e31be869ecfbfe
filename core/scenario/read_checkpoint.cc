#include <fmt/format.h>

#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {

std::string checkpoint_obstacle(const AlgorithmSpec& algorithm) {
  const std::string& name = algorithm.name;
  if (name == "ad_psgd" || name == "elastic_averaging")
    return "its workers are never all between two iterations at once";
  if (name == "parameter_server" && algorithm.mode != ServerMode::kSynchronous)
    return fmt::format("in mode {} its workers are never all between two iterations at once",
                       to_string(algorithm.mode));
  if (name == "parameter_server" && algorithm.backup_workers > 0)
    return "with backup_workers gradients are still under way between two iterations";
  const bool has_collective = name == "all_reduce" || name == "local_sgd" ||
                              (name == "pairwise_averaging" && !algorithm.passes);
  if (has_collective && algorithm.collective == "auto")
    return "collective auto is measured anew by every run, and might choose otherwise; name one";
  return "";
}

CheckpointSpec read_checkpoint(const Value& value) {
  const MapReader map(value, "checkpoint", {"every", "keep", "path", "resume"});
  CheckpointSpec checkpoint;
  checkpoint.every = read_int(map.require("every", "100"), "checkpoint.every", 1);
  if (const Value* keep = map.find("keep")) checkpoint.keep = read_int(*keep, "checkpoint.keep", 1);
  if (const Value* path = map.find("path")) {
    checkpoint.path = read_string(*path, "checkpoint.path");
    if (checkpoint.path->empty())
      fail(path->where, "checkpoint.path is empty; give a folder, or leave it out");
  }
  if (const Value* resume = map.find("resume"))
    checkpoint.resume = read_int(*resume, "checkpoint.resume", 1);
  return checkpoint;
}

void check_checkpoint(const Value& value, const Scenario& scenario) {
  const std::string why = checkpoint_obstacle(scenario.algorithm);
  if (why.empty()) return;
  fail(
      value.where,
      fmt::format("checkpoint is not possible with algorithm {}: {}; leave checkpoint out, or take "
                  "another algorithm",
                  scenario.algorithm.name, why));
}

}  // namespace tandem
