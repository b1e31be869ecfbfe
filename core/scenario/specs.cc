#include "core/scenario/specs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/data/dataset.h"
#include "core/scenario/reader.h"

namespace tandem {
namespace {

bool is_name(const Value& value) {
  return value.kind == Value::Kind::kScalar;
}

std::vector<std::string> read_features(const Value& value, const std::string& data) {
  const std::vector<std::string> known = dataset_features(data);
  if (known.empty())
    fail(value.where,
         fmt::format("data.features is of data sets of vectors; '{}' has none, so leave it out",
                     data));
  if (value.kind != Value::Kind::kList || value.items.empty())
    fail(value.where, fmt::format("data.features is {}, but has to be a list, such as [{}]",
                                  describe(value), fmt::join(known, ", ")));
  std::vector<std::string> features;
  for (const Value& item : value.items) {
    features.push_back(read_choice(item, "feature", known));
    if (std::ranges::count(features, features.back()) > 1)
      fail(item.where, fmt::format("feature '{}' is named twice", features.back()));
  }
  return features;
}

std::string read_path(const Value& value, const std::string& data) {
  if (!dataset_has_files(data))
    fail(value.where, fmt::format("data.path is of data sets in files; '{}' has none, so leave it "
                                  "out",
                                  data));
  return read_string(value, "data.path");
}

ImageSize read_resize(const Value& value, const std::string& data) {
  if (!dataset_has_images(data))
    fail(value.where, fmt::format("data.resize is of images in files; '{}' has none, so leave it "
                                  "out",
                                  data));
  if (value.kind != Value::Kind::kList || value.items.size() != 2)
    fail(value.where, fmt::format("data.resize is {}, but has to be [height, width], such as "
                                  "[224, 224]",
                                  describe(value)));
  return {read_int(value.items[0], "data.resize", 1), read_int(value.items[1], "data.resize", 1)};
}

}  // namespace

DataSpec read_data(const Value& value) {
  DataSpec data;
  if (is_name(value)) {
    data.name = read_choice(value, "data set", dataset_names());
    return data;
  }
  const MapReader map(value, "data", {"name", "path", "features", "resize", "prefetch"});
  data.name = read_choice(map.require("name", "fashion_mnist"), "data set", dataset_names());
  if (const Value* path = map.find("path")) data.path = read_path(*path, data.name);
  if (const Value* features = map.find("features"))
    data.features = read_features(*features, data.name);
  if (const Value* resize = map.find("resize")) data.resize = read_resize(*resize, data.name);
  if (const Value* prefetch = map.find("prefetch"))
    data.prefetch = read_int(*prefetch, "data.prefetch", 0);
  return data;
}

SimulationSpec read_simulation(const Value& value) {
  const MapReader map(value, "simulation",
                      {"depth", "executor", "fold", "extrapolate", "trains", "rank_order",
                       "bandwidth_factor", "latency_factor", "compute_factor"});
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
  if (const Value* order = map.find("rank_order")) {
    const std::string name = read_choice(*order, "rank order", {"platform", "declared"});
    simulation.rank_order = name == "platform" ? RankOrder::kPlatform : RankOrder::kDeclared;
  }
  for (const auto& [key, factor] : {std::pair("bandwidth_factor", &simulation.bandwidth_factor),
                                    {"latency_factor", &simulation.latency_factor},
                                    {"compute_factor", &simulation.compute_factor}}) {
    if (const Value* given = map.find(key))
      *factor = read_within(*given, map.dotted(key), kLeastFactor, kMostFactor);
  }
  if (const Value* fold = map.find("fold")) simulation.fold = read_bool(*fold, "simulation.fold");
  if (const Value* extrapolate = map.find("extrapolate"))
    simulation.extrapolate = read_bool(*extrapolate, "simulation.extrapolate");
  if (const Value* trains = map.find("trains"))
    simulation.trains = read_bool(*trains, "simulation.trains");
  return simulation;
}

namespace {

std::optional<int> read_traced_iterations(const Value& value) {
  if (value.kind == Value::Kind::kScalar && value.scalar == "all") return std::nullopt;
  return read_int(value, "trace.iterations", 0, "all");
}

}  // namespace

TraceSpec read_trace(const Value& value) {
  const MapReader map(value, "trace", {"iterations", "every", "members", "rounds"});
  TraceSpec trace;
  if (const Value* iterations = map.find("iterations"))
    trace.iterations = read_traced_iterations(*iterations);
  if (const Value* every = map.find("every")) trace.every = read_int(*every, "trace.every", 1);
  if (const Value* members = map.find("members"))
    trace.members = read_int(*members, "trace.members", 1);
  if (const Value* rounds = map.find("rounds")) trace.rounds = read_bool(*rounds, "trace.rounds");
  return trace;
}

}  // namespace tandem
