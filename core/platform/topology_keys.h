#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/platform/topology.h"

namespace tandem {

/// What the values of a topology's key look like.
enum class TopologyUnit { kBandwidth, kTime, kCount, kCounts, kFactor, kDevice };

/// A key of a scenario's platform, and the field that it sets: the one table that reading and
/// writing go by.
struct TopologyKey {
  using Field = std::variant<std::optional<double> Topology::*, std::optional<int> Topology::*,
                             std::optional<std::string> Topology::*, std::vector<int> Topology::*>;
  std::string name;
  TopologyUnit unit;
  Field field;
  std::string example;
};

const std::vector<TopologyKey>& topology_keys();

}  // namespace tandem
