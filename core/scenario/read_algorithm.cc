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

bool is_collective(const std::string& name) {
  return std::ranges::count(all_reduce_names(), name) > 0;
}

AlgorithmSpec read_name(const Value& value) {
  AlgorithmSpec algorithm;
  algorithm.name = read_choice(value, "algorithm", names());
  if (is_collective(algorithm.name)) {
    algorithm.collective = algorithm.name;
    algorithm.name = "all_reduce";
  }
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
    fail(entry.value.where,
         fmt::format("algorithm.{} belongs to {}; '{}' has none, so leave it out", entry.key,
                     fmt::join(owners, ", "), info.name));
  }
}

std::size_t whole_bytes(double bytes) {
  constexpr double kConvertible = 1e18;  // what is more is as good as "inf"
  return bytes < kConvertible ? static_cast<std::size_t>(std::llround(bytes))
                              : std::numeric_limits<std::size_t>::max();
}

}  // namespace

AlgorithmSpec read_algorithm(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return read_name(value);
  std::vector<std::string> every_key = {"name"};
  for (const AlgorithmInfo& info : known_algorithms()) {
    every_key.insert(every_key.end(), info.keys.begin(), info.keys.end());
  }
  const MapReader map(value, "algorithm", every_key);
  AlgorithmSpec algorithm = read_name(map.require("name", "ring"));
  check_keys(value, algorithm_info(algorithm.name));
  if (const Value* collective = map.find("collective"))
    algorithm.collective = read_choice(*collective, "collective", all_reduce_names());
  if (const Value* bucket = map.find("bucket"))
    algorithm.bucket_bytes = whole_bytes(read_bytes(*bucket, "algorithm.bucket"));
  if (const Value* overlap = map.find("overlap"))
    algorithm.overlap = read_bool(*overlap, "algorithm.overlap");
  if (const Value* compression = map.find("compression"))
    algorithm.compression = read_compression(*compression);
  return algorithm;
}

}  // namespace tandem
