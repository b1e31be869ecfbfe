#include "core/training/experiment.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/fnv.h"
#include "core/model/custom.h"
#include "core/strategies/strategy.h"
#include "core/training/trainer.h"

namespace tandem {
namespace {

DataLocation data_location(const Scenario& scenario) {
  return {scenario.data.name, scenario.data.path};
}

int resolve_iterations(const Scenario& scenario, const LayerGraph& graph) {
  if (scenario.iterations) return scenario.warmup_iterations + *scenario.iterations;
  const DatasetInfo info =
      describe_dataset(data_location(scenario), graph.input(), graph.classes());
  const double per_epoch = static_cast<double>(info.train_size) / scenario.samples_per_iteration();
  const double iterations = std::floor(*scenario.epochs * per_epoch);
  constexpr double kMost = 1e9;
  if (iterations > kMost) {
    throw InputError(
        fmt::format("epochs is {}, which makes {:.3g} iterations; at most 1e9 are possible",
                    *scenario.epochs, iterations));
  }
  return scenario.warmup_iterations + std::max(1, static_cast<int>(iterations));
}

void check_data_fits(const Scenario& scenario, const LayerGraph& graph, const Dataset& dataset) {
  if (dataset.shape != graph.input()) {
    const auto text = [](Shape s) {
      return std::to_string(s.channels) + "x" + std::to_string(s.height) + "x" +
             std::to_string(s.width);
    };
    throw InputError("model " + graph.name() + " takes images of " + text(graph.input()) +
                     ", but data " + scenario.data.name + " has " + text(dataset.shape) +
                     "; set model.input to the data's shape");
  }
  if (dataset.classes > graph.classes()) {
    throw InputError("model " + graph.name() + " tells " + std::to_string(graph.classes()) +
                     " classes, but data " + scenario.data.name + " has " +
                     std::to_string(dataset.classes) + "; set model.classes");
  }
}

/// Empty where the run models sizes.
std::string hash_of(View weights) {
  return weights.has_data() ? fnv1a_hex({weights.data, weights.bytes()}) : "";
}

}  // namespace

Experiment prepare_experiment(const Scenario& scenario, bool payload, NetworkFactory make_network) {
  Experiment experiment{.scenario = scenario,
                        .graph = build_model(scenario.model),
                        .iterations = 0,
                        .data = nullptr,
                        .make_network = {},
                        .progress = {}};
  experiment.iterations = resolve_iterations(scenario, experiment.graph);
  int& steps = experiment.scenario.learning_rate_schedule.steps;
  if (steps == 0) steps = experiment.iterations;
  if (payload) {
    auto data =
        std::make_shared<DataSplits>(load_dataset(data_location(scenario), experiment.graph.input(),
                                                  experiment.graph.classes(), scenario.seed));
    check_data_fits(scenario, experiment.graph, data->train);
    experiment.data = std::move(data);
    experiment.make_network = std::move(make_network);
  }
  return experiment;
}

MemberResult run_member(const Experiment& experiment, Worker& worker) {
  const Scenario& scenario = experiment.scenario;
  const int rank = worker.group().rank;
  MemberResult result;
  result.rank = rank;
  result.is_server = is_server(scenario, rank);
  if (result.is_server) {
    const Buffer shard = serve(scenario, experiment.graph, worker, experiment.iterations);
    result.weights_hash = hash_of(shard.view());
  } else {
    Replica replica(scenario, experiment.graph, worker);
    result.accuracy = Trainer(experiment, replica).train();
    result.weights_hash = hash_of(replica.weights());
  }
  const Recorder& recorder = worker.record();
  result.iterations = recorder.iterations();
  result.spans = recorder.spans();
  result.traffic = recorder.traffic();
  result.staleness = recorder.staleness();
  return result;
}

}  // namespace tandem
