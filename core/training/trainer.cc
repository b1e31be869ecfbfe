#include "core/training/trainer.h"

#include <algorithm>

namespace tandem {
namespace {

/// Copies the samples `indices` of `dataset` to the front of `images` and `labels`.
void gather(const Dataset& dataset, std::span<const std::uint32_t> indices, float* images,
            std::int32_t* labels) {
  const std::size_t elements = dataset.shape.elements();
  for (const std::uint32_t index : indices) {
    images = std::copy_n(dataset.images.data() + index * elements, elements, images);
    *labels++ = dataset.labels[index];
  }
}

/// Dropout masks differ between iterations and workers, and are the same in both worlds.
std::uint64_t dropout_seed(const Scenario& scenario, int rank, int iteration) {
  return (scenario.seed * 0x9e3779b97f4a7c15U) ^
         (static_cast<std::uint64_t>(iteration) << 20U | static_cast<std::uint64_t>(rank));
}

}  // namespace

Trainer::Trainer(const Experiment& experiment, Replica& replica)
    : experiment_(experiment), replica_(replica), strategy_(make_strategy(replica)) {
  if (!experiment.data) return;
  const Scenario& scenario = experiment.scenario;
  network_ = experiment.make_network(experiment.graph, scenario.batch_size,
                                     replica.parameters.view(), replica.gradients.view());
  shard_.emplace(experiment.data->train.size(), scenario.batch_size, scenario.workers,
                 replica.worker.group().rank, scenario.seed);
  images_.resize(scenario.batch_size * experiment.graph.input().elements());
  labels_.resize(scenario.batch_size);
}

std::optional<double> Trainer::train() {
  Worker& worker = replica_.worker;
  const bool is_first = worker.group().rank == 0;
  for (int iteration = 0; iteration < experiment_.iterations; ++iteration) {
    worker.record().begin_iteration(worker.now());
    run_iteration(iteration);
    worker.record().end_iteration(worker.now(),
                                  network_ ? std::optional(network_->loss()) : std::nullopt);
    if (is_first && experiment_.progress) {
      experiment_.progress(iteration + 1, experiment_.iterations);
    }
  }
  strategy_->finish();
  if (is_first && network_) return evaluate();
  return std::nullopt;
}

void Trainer::run_iteration(int iteration) {
  replica_.begin_step();
  strategy_->begin_iteration();
  load_batch(iteration);
  const int layers = static_cast<int>(experiment_.graph.layers().size());
  for (int layer = 1; layer < layers; ++layer) run_layer(layer, Phase::kForward);
  for (int layer = layers - 1; layer > 0; --layer) {
    run_layer(layer, Phase::kBackward);
    strategy_->gradient_ready(layer);
  }
  strategy_->end_iteration();
}

void Trainer::load_batch(int iteration) {
  const Scenario& scenario = experiment_.scenario;
  const double bytes =
      4.0 * scenario.batch_size * static_cast<double>(experiment_.graph.input().elements());
  Kernel kernel{.phase = Phase::kInput, .name = "input", .bytes = 2 * bytes, .body = {}};
  if (network_) {
    kernel.body = [&, iteration] {
      gather(experiment_.data->train, shard_->batch(iteration), images_.data(), labels_.data());
      network_->load({images_, labels_}, Mode::kTraining,
                     dropout_seed(scenario, replica_.worker.group().rank, iteration));
    };
  }
  Handle loaded = replica_.worker.compute(kernel);
  replica_.worker.wait(loaded);
}

void Trainer::run_layer(int layer, Phase phase) {
  Kernel kernel = layer_kernel(experiment_.graph, layer, phase, experiment_.scenario.batch_size);
  if (network_) {
    kernel.body = [this, layer, phase] {
      phase == Phase::kForward ? network_->forward(layer) : network_->backward(layer);
    };
  }
  Handle done = replica_.worker.compute(kernel);
  replica_.worker.wait(done);
}

// Not part of the job that is timed, so it goes past the worker. The last batch is filled up with
// samples that count in nothing (label kNoLabel).
double Trainer::evaluate() {
  const Dataset& test = experiment_.data->test;
  const auto batch_size = static_cast<std::size_t>(experiment_.scenario.batch_size);
  const int layers = static_cast<int>(experiment_.graph.layers().size());
  std::vector<std::uint32_t> indices;
  std::size_t correct = 0;
  for (std::size_t first = 0; first < test.size(); first += batch_size) {
    indices.clear();
    for (std::size_t i = first; i < std::min(first + batch_size, test.size()); ++i) {
      indices.push_back(static_cast<std::uint32_t>(i));
    }
    std::ranges::fill(labels_, kNoLabel);
    gather(test, indices, images_.data(), labels_.data());
    network_->load({images_, labels_}, Mode::kEvaluation, 0);
    for (int layer = 1; layer < layers; ++layer) network_->forward(layer);
    correct += static_cast<std::size_t>(network_->correct());
  }
  return static_cast<double>(correct) / static_cast<double>(test.size());
}

}  // namespace tandem
