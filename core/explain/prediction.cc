#include "core/explain/prediction.h"

#include <cmath>

namespace tandem {
namespace {

Seconds time_after(const EventGraph& graph, const TracedNetwork& network, Change change,
                   const Scope& scope, double jolt) {
  change.jolt = jolt;
  return iteration_time(graph, replay(graph, network, change), scope);
}

}  // namespace

std::optional<Seconds> predicted_time(const EventGraph& graph, const TracedNetwork& network,
                                      const Change& change, const Scope& scope) {
  constexpr double kJolt = 1e-9, kMuch = 1e-3;
  const Seconds time = time_after(graph, network, change, scope, 0);
  if (graph[boost::graph_bundle].empty()) return time;  // what they do has one order
  for (const double jolt : {kJolt, -kJolt}) {
    const Seconds jolted = time_after(graph, network, change, scope, jolt);
    if (std::abs(jolted / time - 1) > kMuch) return std::nullopt;
  }
  return time;
}

}  // namespace tandem
