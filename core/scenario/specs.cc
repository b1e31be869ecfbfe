#include "core/scenario/specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/collectives/all_reduce.h"
#include "core/data/dataset.h"
#include "core/scenario/reader.h"

namespace tandem {
namespace {

// The strategies, and each collective as short for an all_reduce over it.
std::vector<std::string> algorithm_names() {
  std::vector<std::string> names = {"none", "all_reduce", "parameter_server"};
  for (const std::string& collective : all_reduce_names()) names.push_back(collective);
  return names;
}

bool is_collective(const std::string& name) {
  return std::ranges::count(all_reduce_names(), name) > 0;
}

bool is_name(const Value& value) {
  return value.kind == Value::Kind::kScalar;
}

void read_algorithm_name(const Value& value, AlgorithmSpec& algorithm) {
  algorithm.name = read_choice(value, "algorithm", algorithm_names());
  if (!is_collective(algorithm.name)) return;
  algorithm.collective = algorithm.name;
  algorithm.name = "all_reduce";
}

std::size_t whole_bytes(double bytes) {
  constexpr double kConvertible = 1e18;  // what is more is as good as "inf"
  return bytes < kConvertible ? static_cast<std::size_t>(std::llround(bytes))
                              : std::numeric_limits<std::size_t>::max();
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

AlgorithmSpec read_algorithm(const Value& value) {
  AlgorithmSpec algorithm;
  if (is_name(value)) {
    read_algorithm_name(value, algorithm);
    return algorithm;
  }
  const MapReader map(value, "algorithm", {"name", "collective", "bucket", "overlap"});
  read_algorithm_name(map.require("name", "ring"), algorithm);
  if (const Value* collective = map.find("collective")) {
    if (algorithm.name != "all_reduce")
      fail(collective->where, fmt::format("algorithm.collective belongs to all_reduce; '{}' has "
                                          "none, so leave it out",
                                          algorithm.name));
    algorithm.collective = read_choice(*collective, "collective", all_reduce_names());
  }
  if (const Value* bucket = map.find("bucket"))
    algorithm.bucket_bytes = whole_bytes(read_bytes(*bucket, "algorithm.bucket"));
  if (const Value* overlap = map.find("overlap"))
    algorithm.overlap = read_bool(*overlap, "algorithm.overlap");
  return algorithm;
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
