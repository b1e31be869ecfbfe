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

/// What is known beforehand of how members come to their collectives.
struct Circumstances {
  /// Whether they can be expected to start them together.
  bool start_together = true;
  /// Whether they send no other messages, which those of a collective may meet on a link where some
  /// have begun it and others have not.
  bool only_collectives = true;
  /// Why what a collective takes now says nothing of what it takes later; empty: nothing.
  std::optional<std::string> disturbance = {};
  /// Why it turned out that `auto` can't fuse them; empty: it has not been tried.
  std::optional<std::string> failure = {};
};

/// Resolves `asked`; for kAuto on a large job it tries a plan of each of the job's `collectives`.
ExecutorChoice choose_executor(ExecutorKind asked, Depth depth,
                               std::span<const CollectiveUse> collectives, Fabric& fabric,
                               const AddingTime& adding_time, const Circumstances& circumstances);

}  // namespace tandem
