#include "core/strategies/strategy.h"

#include <map>

#include "core/strategies/all_reduce_sgd.h"
#include "core/strategies/elastic_averaging.h"
#include "core/strategies/parameter_server/server.h"
#include "core/strategies/parameter_server/worker.h"
#include "core/strategies/single.h"

namespace tandem {
namespace {

/// How an algorithm is done.
struct Implementation {
  std::unique_ptr<Strategy> (*make)(Replica&);
  /// Of one that has servers.
  Buffer (*serve)(const Scenario&, const LayerGraph&, Worker&, int iterations) = nullptr;
  /// Of one that starts collectives.
  std::vector<CollectiveUse> (*collectives)(const Scenario&, const LayerGraph&) = nullptr;
};

template <typename Kind>
std::unique_ptr<Strategy> make(Replica& replica) {
  return std::make_unique<Kind>(replica);
}

/// By the names of scenario/algorithms.h.
const std::map<std::string, Implementation>& implementations() {
  static const std::map<std::string, Implementation> kImplementations = {
      {"none", {.make = make<Single>}},
      {"all_reduce", {.make = make<AllReduceSgd>, .collectives = AllReduceSgd::collectives}},
      {"parameter_server", {.make = make<ParameterServerWorker>, .serve = serve_parameters}},
      {"elastic_averaging", {.make = make<ElasticAveraging>, .serve = serve_centre}},
  };
  return kImplementations;
}

const Implementation& implementation(const Scenario& scenario) {
  return implementations().at(scenario.algorithm.name);
}

}  // namespace

std::unique_ptr<Strategy> make_strategy(Replica& replica) {
  return implementation(replica.scenario).make(replica);
}

std::vector<CollectiveUse> collectives_of(const Scenario& scenario, const LayerGraph& graph) {
  const auto collectives = implementation(scenario).collectives;
  return collectives ? collectives(scenario, graph) : std::vector<CollectiveUse>{};
}

Buffer serve(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int iterations) {
  return implementation(scenario).serve(scenario, graph, worker, iterations);
}

bool is_server(const Scenario& scenario, int rank) {
  return rank >= scenario.workers;
}

}  // namespace tandem
