#pragma once

#include <functional>
#include <memory>
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
};

/// The all-reduce algorithms by the names that scenarios give them: the one place to add another.
std::vector<std::string> all_reduce_names();

/// Requires one of all_reduce_names().
const ScheduleFactory& all_reduce(const std::string& name);

}  // namespace tandem
