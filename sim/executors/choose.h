#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/collectives/all_reduce.h"
#include "core/scenario/scenario.h"
#include "sim/executors/plan.h"

namespace tandem {

/// The executor of a job's collectives, and why that one: for run.json.
struct ExecutorChoice {
  ExecutorKind kind = ExecutorKind::kExact;  ///< kExact or kFused
  std::string reason;
};

/// Up to so many members, `auto` simulates every message.
inline constexpr int kExactMembers = 64;

/// Resolves `asked`; for kAuto on a large job it tries a plan of each of the job's `collectives`.
/// `starts_together` says whether members can be expected to start their collectives together,
/// `disturbance` why messages may not take the same time later, where that is so.
ExecutorChoice choose_executor(ExecutorKind asked, Depth depth,
                               std::span<const CollectiveUse> collectives, Fabric& fabric,
                               const AddingTime& adding_time, bool starts_together,
                               const std::optional<std::string>& disturbance);

}  // namespace tandem
