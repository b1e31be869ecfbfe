#include "core/scenario/specs.h"

#include "core/data/dataset.h"
#include "core/scenario/reader.h"

namespace tandem {
namespace {

bool is_name(const Value& value) {
  return value.kind == Value::Kind::kScalar;
}

}  // namespace

DataSpec read_data(const Value& value) {
  DataSpec data;
  if (is_name(value)) {
    data.name = read_choice(value, "data set", dataset_names());
    return data;
  }
  const MapReader map(value, "data", {"name", "path"});
  data.name = read_choice(map.require("name", "fashion_mnist"), "data set", dataset_names());
  if (const Value* path = map.find("path")) data.path = read_string(*path, "data.path");
  return data;
}

SimulationSpec read_simulation(const Value& value) {
  const MapReader map(value, "simulation", {"depth", "executor"});
  SimulationSpec simulation;
  if (const Value* depth = map.find("depth")) {
    const std::string name = read_choice(*depth, "simulation depth", {"sizes", "payload"});
    simulation.depth = name == "sizes" ? Depth::kSizes : Depth::kPayload;
  }
  if (const Value* executor = map.find("executor")) {
    const std::string name = read_choice(*executor, "executor", {"auto", "exact", "fused"});
    simulation.executor = name == "auto"    ? ExecutorKind::kAuto
                          : name == "exact" ? ExecutorKind::kExact
                                            : ExecutorKind::kFused;
  }
  return simulation;
}

}  // namespace tandem
