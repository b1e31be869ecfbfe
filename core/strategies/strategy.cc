#include "core/strategies/strategy.h"

#include <map>
#include <set>

#include "core/strategies/ad_psgd.h"
#include "core/strategies/all_reduce_sgd.h"
#include "core/strategies/elastic_averaging.h"
#include "core/strategies/elastic_centre.h"
#include "core/strategies/local_sgd.h"
#include "core/strategies/pairwise_averaging.h"
#include "core/strategies/parameter_server/server.h"
#include "core/strategies/parameter_server/worker.h"
#include "core/strategies/pipeline/pipeline.h"
#include "core/strategies/sgp.h"
#include "core/strategies/single.h"
#include "core/strategies/zero.h"
#include "core/strategies/zero_plan.h"
#include "core/training/network.h"

namespace tandem {
namespace {

bool always(const Scenario&) {
  return true;
}

bool never(const Scenario&) {
  return false;
}

/// How an algorithm is done.
struct Implementation {
  std::unique_ptr<Strategy> (*make)(Replica&);
  /// Of one that has servers.
  Buffer (*serve)(const Scenario&, const LayerGraph&, Worker&, int iterations,
                  Checkpoints&) = nullptr;
  /// Of one that starts collectives.
  std::vector<CollectiveUse> (*collectives)(const Scenario&, const LayerGraph&) = nullptr;
  /// Of one whose members don't keep the whole model and its optimizer state.
  Holding (*holding)(const Scenario&, const LayerGraph&, int rank) = nullptr;
  bool (*in_step)(const Scenario&) = always;
  bool (*starts_together)(const Scenario&) = always;
  bool (*meets_in_collectives)(const Scenario&) = always;
  bool (*repeats)(const Scenario&) = always;
  bool (*decides_by_time)(const Scenario&) = never;
};

/// Of averaging by pairs: where there are no pairs.
bool averages_all_at_once(const Scenario& scenario) {
  return !scenario.algorithm.passes.has_value();
}

bool has_partners_for_all(const Scenario& scenario) {
  return scenario.workers % 2 == 0;
}

template <typename Kind>
std::unique_ptr<Strategy> make(Replica& replica) {
  return std::make_unique<Kind>(replica);
}

/// By the names of scenario/algorithms.h.
const std::map<std::string, Implementation>& implementations() {
  static const std::map<std::string, Implementation> kImplementations = {
      {"none", {.make = make<Single>}},
      {"all_reduce", {.make = make<AllReduceSgd>, .collectives = AllReduceSgd::collectives}},
      {"parameter_server",
       {.make = make<ParameterServerWorker>,
        .serve = serve_parameters,
        .holding = parameter_server_holding,
        .in_step = waits_for_all_workers,
        .meets_in_collectives = never,
        .repeats = waits_for_all_workers}},
      {"elastic_averaging",
       {.make = make<ElasticAveraging>,
        .serve = serve_centre,
        .in_step = never,
        .meets_in_collectives = never,
        .repeats = never}},
      {"pairwise_averaging",
       {.make = make<PairwiseAveraging>,
        .collectives = weight_average_collectives,
        .starts_together = has_partners_for_all,
        .meets_in_collectives = averages_all_at_once,
        .repeats = averages_all_at_once}},
      {"ad_psgd",
       {.make = make_ad_psgd,
        .collectives = weight_average_collectives,
        .in_step = never,
        .starts_together = never,
        .meets_in_collectives = never,
        .repeats = never,
        .decides_by_time = always}},
      {"sgp",
       {.make = make<StochasticGradientPush>,
        .collectives = weight_average_collectives,
        .meets_in_collectives = never,
        .repeats = never}},
      {"local_sgd", {.make = make<LocalSgd>, .collectives = weight_average_collectives}},
      {"zero", {.make = make_zero, .collectives = zero_collectives, .holding = zero_holding}},
      {"pipeline",
       {.make = make_pipeline,
        .collectives = pipeline_collectives,
        .holding = pipeline_holding,
        .meets_in_collectives = never}},
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
  if (!collectives) return {};
  std::vector<CollectiveUse> uses = collectives(scenario, graph);
  if (!scenario.synchronize_batch_norm) return uses;
  std::set<std::size_t> sizes;
  for (const Layer& layer : graph.layers()) sizes.insert(statistic_elements(layer));
  sizes.erase(0);
  for (const std::size_t elements : sizes) {
    uses.push_back(all_reduce_use(scenario, elements));
  }
  return uses;
}

bool is_in_step(const Scenario& scenario) {
  return implementation(scenario).in_step(scenario);
}

bool meets_in_collectives(const Scenario& scenario) {
  return implementation(scenario).meets_in_collectives(scenario);
}

bool meets_at_servers(const Scenario& scenario) {
  return scenario.algorithm.name == "parameter_server" && waits_for_all_workers(scenario) &&
         scenario.algorithm.placement == Placement::kDedicated;
}

bool repeats_itself(const Scenario& scenario) {
  return implementation(scenario).repeats(scenario);
}

bool decides_by_time(const Scenario& scenario) {
  return implementation(scenario).decides_by_time(scenario);
}

bool starts_together(const Scenario& scenario) {
  return implementation(scenario).starts_together(scenario);
}

Holding holding_of(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const auto holding = implementation(scenario).holding;
  return holding ? holding(scenario, graph, rank)
                 : Holding{.updated = {{0, graph.parameter_elements()}}};
}

Buffer serve(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int iterations,
             Checkpoints& checkpoints) {
  return implementation(scenario).serve(scenario, graph, worker, iterations, checkpoints);
}

bool is_server(const Scenario& scenario, int rank) {
  return rank >= scenario.workers;
}

}  // namespace tandem
