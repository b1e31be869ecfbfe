#pragma once

#include <string>

#include "core/collectives/checker.h"
#include "sim/executors/plan.h"

namespace tandem {

/// The executor of a job's collectives, and why that one: for run.json.
struct ExecutorChoice {
  ExecutorKind kind = ExecutorKind::kExact;  ///< kExact or kFused
  std::string reason;
};

/// A job's collective, as far as the choice needs to know it.
struct CollectiveShape {
  ScheduleFactory factory;   ///< empty where the job has none
  std::size_t elements = 0;  ///< float32, of a typical one
};

/// Up to so many members, `auto` simulates every message.
inline constexpr int kExactMembers = 64;

/// Resolves `asked`; for kAuto on a large job it tries a plan of the collective. `devices_alike`
/// says whether members can be expected to start their collectives together.
ExecutorChoice choose_executor(ExecutorKind asked, Depth depth, const CollectiveShape& collective,
                               Fabric& fabric, const AddingTime& adding_time, bool devices_alike);

}  // namespace tandem
