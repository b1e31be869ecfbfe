#include "core/training/trainer.h"

#include <algorithm>

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/comm/wait_for_first.h"
#include "core/strategies/all_reduce_use.h"
#include "core/training/dropout_seed.h"

namespace tandem {
Trainer::Trainer(const Experiment& experiment, Replica& replica, Checkpoints& checkpoints)
    : experiment_(experiment),
      replica_(replica),
      checkpoints_(checkpoints),
      strategy_(make_strategy(replica)) {
  if (experiment.scenario.synchronize_batch_norm) {
    const auto layers = experiment.graph.layers();
    const std::size_t largest =
        statistic_elements(*std::ranges::max_element(layers, {}, statistic_elements));
    statistics_ = replica.worker.allocate(largest, DType::kFloat32);
  }
  const Scenario& scenario = experiment.scenario;
  if (scenario.algorithm.name == "pipeline") {
    pipeline_ = std::make_unique<PipelinePasses>(experiment, replica, *strategy_,
                                                 checkpoints.first_batch());
    return;
  }
  const std::size_t elements = experiment.graph.parameter_elements();
  const bool is_rounded = scenario.precision.dtype() != DType::kFloat32;
  // A device with copies of its own takes 16-bit numbers, and leaves them, as they are.
  const bool widens = is_rounded && experiment.data && !experiment.mirrors;
  if (scenario.backward_passes_per_step > 1 || widens)
    network_gradients_ = replica.worker.allocate(elements, DType::kFloat32);
  if (!experiment.data) return;
  if (widens) network_parameters_ = replica.worker.allocate(elements, DType::kFloat32);
  network_ = experiment.make_network(
      experiment.graph, scenario.batch_size,
      widens ? network_parameters_.view() : replica.parameters.view(),
      network_gradients_.view().has_data() ? network_gradients_.view() : replica.gradients.view());
  const Dataset& train = experiment.data->train;
  const Shard shard(train.size(), scenario.batch_size, scenario.workers,
                    replica.worker.group().rank, scenario.seed);
  input_ = std::make_unique<InputPipeline>(
      train, experiment.graph.input(), shard, scenario.batch_size, batches_ahead(experiment),
      checkpoints.first_batch(), [this](std::size_t n) { return network_->allocate_images(n); });
}

void Trainer::train() {
  Worker& worker = replica_.worker;
  tell(experiment_, JobMoment::kReads, checkpoints_.first_iteration());
  checkpoints_.restore([this](StateVisitor& visitor) { visit_state(visitor); });
  tell(experiment_, JobMoment::kBegins, checkpoints_.first_iteration());
  int done = checkpoints_.first_iteration();
  do {
    const Leg leg = checkpoints_.leg_after(done);
    strategy_->begin_leg(leg);
    while (done < leg.end) {
      time_iteration(done);
      evaluate_if_due(++done);
    }
    strategy_->end_leg();
    if (leg.rests) save(done);
  } while (done < experiment_.iterations);
  held_peak_bytes_ = worker.memory().peak();  // finish() may gather what training never holds whole
  measured_peak_bytes_ = worker.measured_peak_bytes();
  strategy_->finish();
  if (experiment_.data && evaluates()) evaluate(experiment_.iterations);
}

void Trainer::time_iteration(int iteration) {
  Worker& worker = replica_.worker;
  const Seconds begin = worker.now();
  worker.record().begin_iteration(begin);
  run_iteration(iteration);
  const Seconds end = worker.now();
  worker.record().end_iteration(end, loss_);
  tell(experiment_, JobMoment::kIterates, iteration + 1, end - begin);
  if (worker.group().rank == 0 && experiment_.progress)
    experiment_.progress(iteration + 1, experiment_.iterations);
}

// All wait for rank 0 between two iterations, so that no iteration of those who would else wait for
// it in one is timed too long. Simulated time stands still where one member evaluates by itself,
// and an asynchronous algorithm waits for nobody.
void Trainer::evaluate_if_due(int iterations_done) {
  if (!is_due(iterations_done)) return;
  tell(experiment_, JobMoment::kTests, iterations_done);
  strategy_->begin_evaluation();
  if (evaluates()) evaluate(iterations_done);
  if (is_in_step(experiment_.scenario) && (replica_.worker.has_real_clock() || pipeline_))
    wait_for_first(replica_.worker, experiment_.scenario.workers);
  strategy_->end_evaluation();
  tell(experiment_, JobMoment::kTested, iterations_done);
}

void Trainer::save(int iterations_done) {
  tell(experiment_, JobMoment::kWrites, iterations_done);
  Handle told =
      checkpoints_.save(iterations_done, [this](StateVisitor& visitor) { visit_state(visitor); });
  replica_.worker.wait(told);
  const int batches = (iterations_done - checkpoints_.first_iteration()) *
                      experiment_.scenario.backward_passes_per_step;
  if (checkpoints_.complete(iterations_done, checkpoints_.first_batch() + batches))
    tell(experiment_, JobMoment::kWritten, iterations_done);
  wait_for_first(replica_.worker, experiment_.scenario.members());
}

void Trainer::visit_state(StateVisitor& visitor) {
  strategy_->visit_state(visitor);
  pipeline_ ? pipeline_->visit_state(visitor) : network_->visit_state(visitor);
}

// All stages of the first pipeline do it together.
bool Trainer::evaluates() const {
  return replica_.worker.group().rank < experiment_.scenario.stages();
}

// The last evaluation is that of the final weights.
bool Trainer::is_due(int iterations_done) const {
  const std::optional<int> every = experiment_.scenario.evaluate_every;
  return experiment_.data && every && iterations_done % *every == 0 &&
         iterations_done < experiment_.iterations;
}

void Trainer::run_iteration(int iteration) {
  replica_.begin_step();
  strategy_->begin_iteration();
  loss_ = pipeline_ ? pipeline_->run(iteration) : run_passes(iteration);
  strategy_->end_iteration();
}

std::optional<double> Trainer::run_passes(int iteration) {
  const int passes = experiment_.scenario.backward_passes_per_step;
  double loss = 0;
  for (int pass = 0; pass < passes; ++pass) {
    run_pass(iteration * passes + pass, pass);
    if (network_) loss += network_->loss() / passes;
  }
  return network_ ? std::optional(loss) : std::nullopt;
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
    strategy_->after_forward(layer);
  }
  if (const PreparedBatch* ahead = input_ ? input_->ahead() : nullptr)
    network_->prefetch(ahead->images);
  for (int layer = layers - 1; layer > 0; --layer) {
    strategy_->before_backward(layer);
    run_layer(layer, Phase::kBackward, pass);
    if (pass > 0) accumulate_gradients(layer);
    strategy_->after_backward(layer);
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
      const PreparedBatch& next = input_->next();
      if (!network_gradients_.view().has_data())
        network_->scale_gradients(replica_.gradient_scale.loss_scale());
      network_->load({next.images, next.labels}, Mode::kTraining,
                     dropout_seed(scenario, replica_.worker.group().rank, batch));
    };
  }
  Handle loaded = replica_.worker.compute(kernel);
  replica_.worker.wait(loaded);
}

// As collectives go in the order in which they are started, it waits for gradients in flight too.
void Trainer::synchronize_statistics(int layer, Phase phase) {
  const std::size_t elements = statistic_elements(experiment_.graph.layers()[layer]);
  if (elements == 0) return;
  Worker& worker = replica_.worker;
  const View sums = statistics_.view().slice(0, elements);
  const Kernel pass =
      layer_kernel(experiment_.graph, layer, phase, experiment_.scenario.batch_size);
  Kernel kernel{.phase = Phase::kReduce,
                .layer = layer,
                .name = "statistics",
                .flops = pass.flops / 2,
                .bytes = pass.bytes / 2,
                .body = {}};
  if (network_) kernel.body = [=, this] { network_->sum_statistics(layer, phase, sums); };
  Handle summed = worker.compute(kernel);
  worker.wait(summed);
  Handle added = start_collective(worker, all_reduce_use(experiment_.scenario, elements), sums);
  worker.wait(added);
}

void Trainer::run_layer(int layer, Phase phase, int pass) {
  if (experiment_.scenario.synchronize_batch_norm) synchronize_statistics(layer, phase);
  Kernel kernel = layer_kernel(experiment_.graph, layer, phase, experiment_.scenario.batch_size);
  if (network_) {
    kernel.body = [=, this] { phase == Phase::kForward ? forward(layer) : backward(layer, pass); };
  }
  Handle done = replica_.worker.compute(kernel);
  replica_.worker.wait(done);
  strategy_->poll();
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
  std::function<void()> add_pass;
  if (network_) {
    add_pass = [=, this] {
      accumulate(sum, layer_slice(network_gradients_, layer), replica_.gradient_scale.loss_scale());
    };
  }
  compute_over(replica_.worker, "accumulate", sum, 3, add_pass, layer);
}

void Trainer::evaluate(int iterations_done) {
  Recorder& record = replica_.worker.record();
  const Inheritance done = with_iterations(record.inherited(), record.iterations(),
                                           experiment_.scenario.samples_per_iteration());
  record.evaluated({.iteration = iterations_done,
                    .time = done.time,
                    .samples = done.samples,
                    .accuracy = pipeline_ ? pipeline_->accuracy() : accuracy()});
}

View Trainer::layer_slice(const Buffer& arena, int index) const {
  const Layer& layer = experiment_.graph.layers()[index];
  return arena.view().slice(layer.parameter_offset, layer.parameter_elements);
}

// Not part of the job that is timed, so it goes past the worker.
double Trainer::accuracy() {
  const Dataset& test = experiment_.data->test;
  const BatchMaker maker(test, experiment_.graph.input());
  const auto batch_size = static_cast<std::size_t>(experiment_.scenario.batch_size);
  const int layers = static_cast<int>(experiment_.graph.layers().size());
  PreparedBatch batch = maker.allocate(batch_size);
  std::size_t correct = 0;
  for (std::size_t first = 0; first < test.size(); first += batch_size) {
    maker.make_from(first, batch);
    network_->load({batch.images, batch.labels}, Mode::kEvaluation, 0);
    for (int layer = 1; layer < layers; ++layer) forward(layer);
    correct += static_cast<std::size_t>(network_->correct());
  }
  return static_cast<double>(correct) / static_cast<double>(test.labels.size());
}

}  // namespace tandem
