#include "core/training/trainer.h"

#include <algorithm>

#include "core/comm/elementwise.h"

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
  const std::size_t elements = experiment.graph.parameter_elements();
  const bool is_rounded = scenario.precision.dtype() != DType::kFloat32;
  if (is_rounded) network_parameters_ = replica.worker.allocate(elements, DType::kFloat32);
  if (is_rounded || scenario.backward_passes_per_step > 1)
    network_gradients_ = replica.worker.allocate(elements, DType::kFloat32);
  network_ = experiment.make_network(
      experiment.graph, scenario.batch_size,
      is_rounded ? network_parameters_.view() : replica.parameters.view(),
      network_gradients_.view().has_data() ? network_gradients_.view() : replica.gradients.view());
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
    worker.record().end_iteration(worker.now(), network_ ? std::optional(loss_) : std::nullopt);
    if (is_first && experiment_.progress) {
      experiment_.progress(iteration + 1, experiment_.iterations);
    }
  }
  strategy_->finish();
  if (is_first && network_) return evaluate();
  return std::nullopt;
}

void Trainer::run_iteration(int iteration) {
  const int passes = experiment_.scenario.backward_passes_per_step;
  replica_.begin_step();
  strategy_->begin_iteration();
  loss_ = 0;
  for (int pass = 0; pass < passes; ++pass) {
    run_pass(iteration * passes + pass, pass);
    if (network_) loss_ += network_->loss() / passes;
  }
  strategy_->end_iteration();
}

// Gradients are added up layer by layer as backward finishes them, in the order of the passes; the
// strategy hears of a layer once its gradients are final, in the last pass.
void Trainer::run_pass(int batch, int pass) {
  load_batch(batch);
  const int layers = static_cast<int>(experiment_.graph.layers().size());
  const bool is_last = pass + 1 == experiment_.scenario.backward_passes_per_step;
  for (int layer = 1; layer < layers; ++layer) {
    strategy_->before_forward(layer);
    run_layer(layer, Phase::kForward, pass);
  }
  for (int layer = layers - 1; layer > 0; --layer) {
    run_layer(layer, Phase::kBackward, pass);
    if (pass > 0) accumulate_gradients(layer);
    if (is_last) strategy_->gradient_ready(layer);
  }
}

void Trainer::load_batch(int batch) {
  const Scenario& scenario = experiment_.scenario;
  const double bytes =
      4.0 * scenario.batch_size * static_cast<double>(experiment_.graph.input().elements());
  Kernel kernel{.phase = Phase::kInput, .name = "input", .bytes = 2 * bytes, .body = {}};
  if (network_) {
    kernel.body = [&, batch] {
      gather(experiment_.data->train, shard_->batch(batch), images_.data(), labels_.data());
      network_->load({images_, labels_}, Mode::kTraining,
                     dropout_seed(scenario, replica_.worker.group().rank, batch));
    };
  }
  Handle loaded = replica_.worker.compute(kernel);
  replica_.worker.wait(loaded);
}

void Trainer::run_layer(int layer, Phase phase, int pass) {
  Kernel kernel = layer_kernel(experiment_.graph, layer, phase, experiment_.scenario.batch_size);
  if (network_) {
    kernel.body = [=, this] { phase == Phase::kForward ? forward(layer) : backward(layer, pass); };
  }
  Handle done = replica_.worker.compute(kernel);
  replica_.worker.wait(done);
}

void Trainer::forward(int layer) {
  if (network_parameters_.view().has_data()) {
    convert(layer_slice(network_parameters_, layer), layer_slice(replica_.parameters, layer));
  }
  network_->forward(layer);
}

void Trainer::backward(int layer, int pass) {
  network_->backward(layer);
  if (pass == 0 && network_gradients_.view().has_data()) {
    convert(layer_slice(replica_.gradients, layer), layer_slice(network_gradients_, layer),
            replica_.gradient_scale.loss_scale());
  }
}

void Trainer::accumulate_gradients(int layer) {
  const View sum = layer_slice(replica_.gradients, layer);
  if (sum.elements == 0) return;
  Kernel kernel{.phase = Phase::kReduce,
                .layer = layer,
                .name = "accumulate",
                .flops = static_cast<double>(sum.elements),
                .bytes = 3.0 * static_cast<double>(sum.bytes()),
                .body = {}};
  if (network_) {
    kernel.body = [=, this] {
      accumulate(sum, layer_slice(network_gradients_, layer), replica_.gradient_scale.loss_scale());
    };
  }
  Handle done = replica_.worker.compute(kernel);
  replica_.worker.wait(done);
}

View Trainer::layer_slice(const Buffer& arena, int index) const {
  const Layer& layer = experiment_.graph.layers()[index];
  return arena.view().slice(layer.parameter_offset, layer.parameter_elements);
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
    for (int layer = 1; layer < layers; ++layer) forward(layer);
    correct += static_cast<std::size_t>(network_->correct());
  }
  return static_cast<double>(correct) / static_cast<double>(test.size());
}

}  // namespace tandem
