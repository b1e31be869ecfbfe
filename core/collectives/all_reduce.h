#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"

namespace tandem {

/// Makes one rank's part of a collective.
using ScheduleFactory =
    std::function<std::unique_ptr<const Schedule>(int ranks, int rank, std::size_t elements)>;

/// A collective that a job starts, as far as a simulator needs to know it beforehand.
struct CollectiveUse {
  ScheduleFactory factory;
  std::size_t elements = 0;
  DType dtype = DType::kFloat32;
  std::string name = {};    ///< for results
  std::string reason = {};  ///< why this one, where it was chosen
  /// That take part, where each of some groups of members runs one of its own; 0: all together.
  int ranks = 0;
};

/// What some all-reduce algorithms have to be told.
struct AllReduceOptions {
  std::size_t segment_bytes = std::size_t{256} * 1024;  ///< segmented_ring, double_binary_tree
  std::optional<int> node_size = {};  ///< hierarchical: consecutive ranks of a node
};

/// The all-reduce algorithms by the names that scenarios give them: the one place to add another.
std::vector<std::string> all_reduce_names();

/// For buffers of `dtype`. Requires one of all_reduce_names(), and a node size for hierarchical.
ScheduleFactory all_reduce(const std::string& name, const AllReduceOptions& options = {},
                           DType dtype = DType::kFloat32);

}  // namespace tandem
