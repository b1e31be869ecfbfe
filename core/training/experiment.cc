#include "core/training/experiment.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/fnv.h"
#include "core/model/custom.h"
#include "core/model/partition.h"
#include "core/strategies/strategy.h"
#include "core/training/trainer.h"

namespace tandem {
namespace {

DataRequest data_request(const Scenario& scenario) {
  return {scenario.data.name, scenario.data.path, scenario.data.features};
}

SampleForm sample_form(const LayerGraph& graph) {
  return {graph.input(), graph.classes(), graph.vocabulary()};
}

int resolve_iterations(const Scenario& scenario, const LayerGraph& graph) {
  if (scenario.iterations) return scenario.warmup_iterations + *scenario.iterations;
  const DatasetInfo info = describe_dataset(data_request(scenario), sample_form(graph));
  const double per_epoch = static_cast<double>(info.train_size) / scenario.samples_per_iteration();
  const double iterations = std::floor(*scenario.epochs * per_epoch);
  if (iterations > kMostIterations) {
    throw InputError(fmt::format(
        "epochs is {}, which makes {:.3g} iterations; at most {} are possible; give fewer",
        *scenario.epochs, iterations, kMostIterations));
  }
  return scenario.warmup_iterations + std::max(1, static_cast<int>(iterations));
}

Shape resized(Shape shape, const DataSpec& data) {
  if (!data.resize) return shape;
  return {shape.channels, data.resize->height, data.resize->width};
}

void check_tokens_fit(const Scenario& scenario, const LayerGraph& graph,
                      const DatasetInfo& dataset) {
  const bool takes_tokens = graph.vocabulary() > 0;
  if (takes_tokens != dataset.has_tokens) {
    throw InputError(fmt::format(
        "model {} takes {}tokens, but data {} has {}; {}", graph.name(), takes_tokens ? "" : "no ",
        scenario.data.name, takes_tokens ? "none" : "nothing else",
        takes_tokens ? "take data text or synthetic" : "take a model of tokens, such as gpt"));
  }
  const int known = std::min(graph.vocabulary(), graph.classes());
  if (takes_tokens && dataset.classes > known) {
    throw InputError(
        fmt::format("model {} knows {} tokens, but data {} has {} different ones; set "
                    "model.vocabulary to at least {}",
                    graph.name(), known, scenario.data.name, dataset.classes, dataset.classes));
  }
}

void check_labels_fit(const Scenario& scenario, const LayerGraph& graph,
                      const DatasetInfo& dataset) {
  if (dataset.labels_each == graph.labels()) return;
  throw InputError(fmt::format(
      "model {} tells {} classes of a sample, but data {} has {} labels a sample; end the model in "
      "as many rows as a sample has labels",
      graph.name(), graph.labels(), scenario.data.name, dataset.labels_each));
}

void check_samples_fit(const Scenario& scenario, const LayerGraph& graph,
                       const DatasetInfo& dataset) {
  check_tokens_fit(scenario, graph, dataset);
  const Shape shape = resized(dataset.shape, scenario.data);
  if (shape != graph.input()) {
    const Shape input = graph.input();
    const bool resizable = !scenario.data.resize && shape.channels == input.channels;
    throw InputError("model " + graph.name() + " takes samples of " + to_string(input) +
                     ", but data " + scenario.data.name + " has " + to_string(shape) +
                     "; set model.input to the data's shape" +
                     (resizable ? ", or data.resize to the model's" : ""));
  }
  check_labels_fit(scenario, graph, dataset);
  if (dataset.classes > graph.classes()) {
    throw InputError("model " + graph.name() + " tells " + std::to_string(graph.classes()) +
                     " classes, but data " + scenario.data.name + " has " +
                     std::to_string(dataset.classes) + "; set model.classes");
  }
}

void check_size(const Scenario& scenario, const DatasetInfo& dataset) {
  const std::size_t samples = std::size_t(scenario.batch_size) * scenario.workers;
  if (samples > dataset.train_size) {
    throw InputError(
        fmt::format("batch_size {} on {} workers takes {} samples an iteration, but the "
                    "data has {}; lower batch_size or workers",
                    scenario.batch_size, scenario.workers, samples, dataset.train_size));
  }
}

std::optional<DatasetInfo> info_for(DataCheck check, const DataRequest& request,
                                    const SampleForm& form) {
  if (check == DataCheck::kKnown) return known_of_dataset(request, form);
  try {
    return describe_dataset(request, form);
  } catch (const DataMissing&) {
    if (check == DataCheck::kThere) throw;
    return known_of_dataset(request, form);
  }
}

void check_data(const Scenario& scenario, const LayerGraph& graph, DataCheck check) {
  const auto info = info_for(check, data_request(scenario), sample_form(graph));
  if (info) check_samples_fit(scenario, graph, *info);
  if (check == DataCheck::kThere) check_size(scenario, *info);
}

void check_stages(const Scenario& scenario, const LayerGraph& graph) {
  if (scenario.stages() > 1) partition(graph, scenario.stages());
}

/// Empty where nothing was computed.
std::string hash_of(const Experiment& experiment, View weights) {
  if (!experiment.data) return "";
  return fnv1a_hex({weights.on_host(Access::kRead).data, weights.bytes()});
}

}  // namespace

void check_experiment(const Scenario& scenario, DataCheck data) {
  const LayerGraph graph = build_model(scenario.model);
  check_stages(scenario, graph);
  check_data(scenario, graph, data);
}

Experiment prepare_experiment(const Scenario& scenario, bool payload, NetworkFactory make_network) {
  Experiment experiment{.scenario = scenario,
                        .graph = build_model(scenario.model),
                        .iterations = 0,
                        .data = nullptr,
                        .make_network = {},
                        .mirrors = {},
                        .saves = false,
                        .progress = {}};
  check_stages(scenario, experiment.graph);
  experiment.iterations = resolve_iterations(scenario, experiment.graph);
  int& steps = experiment.scenario.learning_rate_schedule.steps;
  if (steps == 0) steps = experiment.iterations;
  check_data(scenario, experiment.graph, payload ? DataCheck::kThere : DataCheck::kKnown);
  if (payload) {
    experiment.data = std::make_shared<const DataSplits>(
        load_dataset(data_request(scenario), sample_form(experiment.graph), scenario.seed));
    experiment.make_network = std::move(make_network);
  }
  return experiment;
}

MemberResult run_member(const Experiment& experiment, Worker& worker) {
  const Scenario& scenario = experiment.scenario;
  const int rank = worker.group().rank;
  if (scenario.chakra) worker.record().keep_program();
  // Servers add up on the host what comes there, and send it from there.
  if (experiment.mirrors && !is_server(scenario, rank)) worker.set_mirrors(experiment.mirrors());
  MemberResult result;
  result.rank = rank;
  result.is_server = is_server(scenario, rank);
  Checkpoints checkpoints(scenario, worker, experiment.saves, experiment.iterations,
                          experiment.data ? experiment.data->train.size() : 0, experiment.share);
  if (result.is_server) {
    tell(experiment, JobMoment::kBegins, checkpoints.first_iteration());
    const Buffer shard =
        serve(scenario, experiment.graph, worker, experiment.iterations, checkpoints);
    result.weights_hash = hash_of(experiment, shard.view());
    result.held_peak_bytes = worker.memory().peak();
    result.peak_memory_bytes = worker.measured_peak_bytes();
  } else {
    Replica replica(scenario, experiment.graph, worker);
    Trainer trainer(experiment, replica, checkpoints);
    trainer.train();
    result.weights_hash = hash_of(experiment, replica.weights());
    if (experiment.data) result.skipped_steps = replica.gradient_scale.skipped_steps();
    result.held_peak_bytes = trainer.held_peak_bytes();
    result.peak_memory_bytes = trainer.measured_peak_bytes();
  }
  Recorder& recorder = worker.record();
  result.iterations = recorder.iterations();
  result.first_iteration = recorder.inherited().iterations;
  result.sent_bytes_before = recorder.inherited().sent_bytes;
  if (rank == 0) result.evaluations = recorder.evaluations();
  result.warnings = checkpoints.problems();
  result.spans = recorder.spans();
  if (const Program* program = recorder.program()) result.program = program->steps();
  result.traffic = recorder.traffic();
  result.staleness = recorder.staleness();
  return result;
}

}  // namespace tandem
