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

OptimizerSpec read_optimizer(const Value& value) {
  OptimizerSpec optimizer;
  if (is_name(value)) {
    optimizer.name = read_choice(value, "optimizer", {"sgd"});
    return optimizer;
  }
  const MapReader map(value, "optimizer", {"name", "learning_rate", "momentum", "weight_decay"});
  if (const Value* name = map.find("name"))
    optimizer.name = read_choice(*name, "optimizer", {"sgd"});
  if (const Value* rate = map.find("learning_rate"))
    optimizer.learning_rate = read_positive(*rate, "optimizer.learning_rate");
  if (const Value* momentum = map.find("momentum"))
    optimizer.momentum = read_fraction(*momentum, "optimizer.momentum");
  if (const Value* decay = map.find("weight_decay"))
    optimizer.weight_decay = read_fraction(*decay, "optimizer.weight_decay");
  return optimizer;
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
