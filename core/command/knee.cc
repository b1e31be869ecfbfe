#include "core/command/knee.h"

#include <fmt/format.h>

#include "core/command/aside_simulator.h"
#include "core/command/points.h"
#include "core/command/scaling_search.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

double images_per_s(const PointResult& result) {
  return result.summary.images_per_s.value_or(0);
}

}  // namespace

std::string Knee::text() const {
  if (keeps == 0) {
    const std::string fewest = counted(above, "worker");
    return is_limited ? fmt::format("no knee can be looked for: {} can't be simulated", fewest)
                      : fmt::format("past the knee from {} on", fewest);
  }
  if (is_limited)
    return fmt::format("no knee up to {}, the most that {}", counted(keeps, "worker"),
                       keeps == kMostKneeWorkers ? "are tried" : "the platform holds");
  return fmt::format("the knee is between {} and {} workers", keeps, above);
}

Knee find_knee(const Scenario& point, const AsideSimulator& simulator) {
  Knee knee;
  const double alone = images_per_s(simulator.run({timed(baseline_of(point))}).front());
  ScalingSearch search = scaling_search_of(point);
  while (const std::optional<int> workers = search.next()) {
    Scenario tried = point;
    tried.workers = *workers;
    const auto result =
        *workers > kMostKneeWorkers ? std::nullopt : simulator.run_if_possible(timed(tried));
    if (!result) {
      search.note(false);
      continue;
    }
    const double efficiency = images_per_s(*result) / *workers / alone;
    knee.efficiency[*workers] = efficiency;
    search.note(efficiency >= kKneeEfficiency);
  }
  knee.keeps = search.answer();
  knee.above = search.above();
  knee.is_limited = knee.above > 0 && !knee.efficiency.contains(knee.above);
  return knee;
}

}  // namespace tandem
