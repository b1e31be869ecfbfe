#include "sim/executors/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "sim/executors/fused.h"

namespace tandem {
namespace {

CollectivePlan try_plan(const CollectiveUse& collective, Fabric& fabric,
                        const AddingTime& adding_time) {
  std::vector<std::unique_ptr<const Schedule>> schedules;
  for (int rank = 0; rank < fabric.members(); ++rank) {
    schedules.push_back(collective.factory(fabric.members(), rank, collective.elements));
  }
  return {schedules, size_of(collective.dtype), fabric, adding_time};
}

/// A link on which messages of two collectives may meet. Those in step begin and end together.
std::optional<std::string> meeting_link(const CollectivePlan& a, const CollectivePlan& b) {
  constexpr auto kApart = CollectivePlan::Kind::kApart;
  if (a.kind() != kApart || b.kind() != kApart) return std::nullopt;
  return a.shared_with(b);
}

std::optional<std::string> refusal_of(const Circumstances& circumstances) {
  if (circumstances.disturbance) return circumstances.disturbance;
  if (circumstances.failure) return circumstances.failure;
  if (!circumstances.only_collectives && !circumstances.start_together)
    return "members send other messages, and begin collectives at different times";
  return std::nullopt;
}

ExecutorChoice exact(std::string reason) {
  return {ExecutorKind::kExact, std::move(reason)};
}

}  // namespace

ExecutorChoice choose_executor(ExecutorKind asked, Depth depth,
                               std::span<const CollectiveUse> collectives, Fabric& fabric,
                               const AddingTime& adding_time, const Circumstances& circumstances) {
  if (asked == ExecutorKind::kExact) return exact("the scenario asks for it");
  const bool is_grouped = std::ranges::any_of(
      collectives, [](const CollectiveUse& collective) { return collective.ranks > 0; });
  if (asked == ExecutorKind::kFused) {
    if (is_grouped) throw InputError(fused_refusal("not all members take part in it"));
    if (depth == Depth::kPayload) throw InputError(fused_refusal("it moves no payload"));
    if (circumstances.disturbance) throw InputError(fused_refusal(*circumstances.disturbance));
    return {ExecutorKind::kFused, "the scenario asks for it"};
  }
  if (collectives.empty()) return exact("the algorithm has no collective");
  if (is_grouped) return exact("not all members take part in a collective");
  if (depth == Depth::kPayload) return exact("payload is moved message by message");
  if (fabric.members() <= kExactMembers) {
    return exact(fmt::format("auto: at most {} members", kExactMembers));
  }
  if (const auto refusal = refusal_of(circumstances))
    return exact("auto: fused is not possible, " + *refusal);
  std::vector<CollectivePlan> plans;
  for (const CollectiveUse& collective : collectives) {
    plans.push_back(try_plan(collective, fabric, adding_time));
    const CollectivePlan& plan = plans.back();
    if (plan.refusal()) return exact("auto: fused is not possible, " + *plan.refusal());
    if (plan.kind() == CollectivePlan::Kind::kInStep && !circumstances.start_together) {
      return exact(
          "auto: fused is not possible, links are shared and members begin collectives at "
          "different times");
    }
    for (const CollectivePlan& other : plans) {
      if (const auto link = meeting_link(plan, other)) {
        return exact(
            fmt::format("auto: fused is not possible, two collectives share link {}", *link));
      }
    }
  }
  return {ExecutorKind::kFused, "auto: " + plans.back().reason()};
}

}  // namespace tandem
