#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/collectives/all_reduce.h"
#include "core/scenario/algorithms.h"
#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

// The algorithms, and each collective as short for an all_reduce over it.
std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : known_algorithms()) names.push_back(info.name);
  for (const std::string& collective : all_reduce_names()) names.push_back(collective);
  return names;
}

// A server answers with a bucket once it has all of it: the smaller, the earlier.
constexpr std::size_t kServerBucketBytes = 4'000'000;

// The paper's tau, where none is given.
constexpr int kExchangeEvery = 10;

bool is_collective(const std::string& name) {
  return std::ranges::count(all_reduce_names(), name) > 0;
}

// All that a name says by itself, so that it is the same alone and in a map.
AlgorithmSpec read_bare_name(const Value& value) {
  AlgorithmSpec algorithm;
  algorithm.name = read_choice(value, "algorithm", names());
  if (is_collective(algorithm.name)) {
    algorithm.collective = algorithm.name;
    algorithm.name = "all_reduce";
  }
  if (algorithm.name == "parameter_server") algorithm.bucket_bytes = kServerBucketBytes;
  if (algorithm.name == "elastic_averaging") algorithm.local_steps = kExchangeEvery;
  return algorithm;
}

// A key that another algorithm has is no typing mistake, and is told so.
void check_keys(const Value& map, const AlgorithmInfo& info) {
  for (const ValueEntry& entry : map.entries) {
    if (entry.key == "name" || std::ranges::count(info.keys, entry.key) > 0) continue;
    std::vector<std::string> owners;
    for (const AlgorithmInfo& other : known_algorithms()) {
      if (std::ranges::count(other.keys, entry.key) > 0) owners.push_back(other.name);
    }
    if (owners.empty()) continue;
    if (!map.find("name"))
      fail(entry.value.where,
           fmt::format("algorithm.{} belongs to {}, but without a name it is ring; give one, such "
                       "as 'name: {}'",
                       entry.key, fmt::join(owners, ", "), owners[0]));
    fail(entry.value.where,
         fmt::format("algorithm.{} belongs to {}; '{}' has none, so leave it out", entry.key,
                     fmt::join(owners, ", "), info.name));
  }
}

std::vector<std::string> collectives() {
  std::vector<std::string> names = all_reduce_names();
  names.push_back("auto");
  return names;
}

void check_meaning(const Value& map, const AlgorithmSpec& algorithm) {
  for (const ValueEntry& entry : map.entries) {
    const std::string reason = meaningless(algorithm, entry.key);
    if (!reason.empty())
      fail(entry.value.where,
           fmt::format("algorithm.{} has no meaning {}, so leave it out", entry.key, reason));
  }
}

template <typename Enum>
Enum read_enum(const Value& value, const std::string& what, std::initializer_list<Enum> all) {
  std::vector<std::string> names;
  for (const Enum one : all) names.emplace_back(to_string(one));
  const std::string name = read_choice(value, what, names);
  return *std::ranges::find_if(all, [&](Enum one) { return to_string(one) == name; });
}

void read_servers(const MapReader& map, AlgorithmSpec& algorithm) {
  if (const Value* servers = map.find("servers"))
    algorithm.server_count = read_member_count(*servers, "algorithm.servers");
  if (const Value* placement = map.find("placement"))
    algorithm.placement =
        read_enum(*placement, "placement", {Placement::kDedicated, Placement::kWorkers});
}

void read_consistency(const MapReader& map, AlgorithmSpec& algorithm) {
  if (const Value* mode = map.find("mode"))
    algorithm.mode = read_enum(
        *mode, "mode",
        {ServerMode::kSynchronous, ServerMode::kAsynchronous, ServerMode::kStaleSynchronous});
  if (const Value* staleness = map.find("staleness"))
    algorithm.staleness = read_int(*staleness, "algorithm.staleness", 0);
  if (const Value* backup = map.find("backup_workers"))
    algorithm.backup_workers = read_int(*backup, "algorithm.backup_workers", 0);
  if (const Value* push = map.find("push_every"))
    algorithm.push_every = read_int(*push, "algorithm.push_every", 1);
  if (const Value* pull = map.find("pull_every"))
    algorithm.pull_every = read_int(*pull, "algorithm.pull_every", 1);
  if (const Value* priority = map.find("priority"))
    algorithm.priority = read_bool(*priority, "algorithm.priority");
  if (const Value* early_pull = map.find("early_pull"))
    algorithm.early_pull = read_bool(*early_pull, "algorithm.early_pull");
  if (const Value* pull_overlap = map.find("pull_overlap"))
    algorithm.pull_overlap = read_bool(*pull_overlap, "algorithm.pull_overlap");
}

void read_elastic(const MapReader& map, AlgorithmSpec& algorithm) {
  if (const Value* steps = map.find("local_steps"))
    algorithm.local_steps = read_int(*steps, "algorithm.local_steps", 1);
  if (const Value* elasticity = map.find("elasticity"))
    algorithm.elasticity = read_fraction(*elasticity, "algorithm.elasticity");
}

void read_pipeline(const MapReader& map, AlgorithmSpec& algorithm) {
  if (const Value* stages = map.find("stages"))
    algorithm.stages = read_int(*stages, "algorithm.stages", 1);
  if (const Value* micro_batches = map.find("micro_batches"))
    algorithm.micro_batches = read_int(*micro_batches, "algorithm.micro_batches", 1);
  if (const Value* schedule = map.find("schedule"))
    algorithm.schedule = read_enum(*schedule, "pipeline schedule",
                                   {PipelineSchedule::kGPipe, PipelineSchedule::kOneFOneB});
}

std::size_t whole_bytes(double bytes) {
  constexpr double kConvertible = 1e18;  // what is more is as good as "inf"
  return bytes < kConvertible ? static_cast<std::size_t>(std::llround(bytes))
                              : std::numeric_limits<std::size_t>::max();
}

// 0 is an amount too, of which each layer has enough.
std::size_t read_bucket(const Value& value) {
  if (value.kind == Value::Kind::kScalar && value.scalar == "0") return 0;
  return whole_bytes(read_bytes(value, "algorithm.bucket"));
}

std::optional<int> read_passes(const Value& value) {
  if (value.kind == Value::Kind::kScalar && value.scalar == "all") return std::nullopt;
  return read_int(value, "algorithm.passes", 1, "all");
}

OuterSpec read_outer(const Value& value) {
  const MapReader map(value, "algorithm.outer", {"learning_rate", "momentum"});
  OuterSpec outer;
  if (const Value* rate = map.find("learning_rate"))
    outer.learning_rate = read_positive(*rate, "algorithm.outer.learning_rate");
  if (const Value* momentum = map.find("momentum"))
    outer.momentum = read_fraction(*momentum, "algorithm.outer.momentum");
  return outer;
}

}  // namespace

AlgorithmSpec read_algorithm(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return read_bare_name(value);
  std::vector<std::string> every_key = {"name"};
  for (const AlgorithmInfo& info : known_algorithms()) {
    every_key.insert(every_key.end(), info.keys.begin(), info.keys.end());
  }
  const MapReader map(value, "algorithm", every_key);
  AlgorithmSpec algorithm;
  if (const Value* name = map.find("name")) algorithm = read_bare_name(*name);
  check_keys(value, algorithm_info(algorithm.name));
  if (const Value* collective = map.find("collective"))
    algorithm.collective = read_choice(*collective, "collective", collectives());
  if (const Value* segment = map.find("segment"))
    algorithm.options.segment_bytes = whole_bytes(read_bytes(*segment, "algorithm.segment"));
  if (const Value* node_size = map.find("node_size"))
    algorithm.options.node_size = read_int(*node_size, "algorithm.node_size", 1);
  if (const Value* bucket = map.find("bucket")) algorithm.bucket_bytes = read_bucket(*bucket);
  if (const Value* overlap = map.find("overlap"))
    algorithm.overlap = read_bool(*overlap, "algorithm.overlap");
  if (const Value* compression = map.find("compression"))
    algorithm.compression = read_compression(*compression);
  if (const Value* passes = map.find("passes")) algorithm.passes = read_passes(*passes);
  if (const Value* outer = map.find("outer")) algorithm.outer = read_outer(*outer);
  if (const Value* stage = map.find("stage"))
    algorithm.stage = std::stoi(read_choice(*stage, "ZeRO stage", {"0", "1", "2", "3"}));
  if (const Value* prefetch = map.find("prefetch"))
    algorithm.prefetch = read_int(*prefetch, "algorithm.prefetch", 0);
  read_servers(map, algorithm);
  read_consistency(map, algorithm);
  read_elastic(map, algorithm);
  read_pipeline(map, algorithm);
  check_meaning(value, algorithm);
  return algorithm;
}

AlgorithmSpec standard_algorithm(const std::string& name) {
  return read_algorithm(parse_yaml_text(name, "algorithm"));
}

}  // namespace tandem
