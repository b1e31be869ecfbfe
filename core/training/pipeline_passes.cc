#include "core/training/pipeline_passes.h"

#include <algorithm>
#include <iterator>

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/training/dropout_seed.h"

namespace tandem {
namespace {

constexpr Tag kActivation = 0;
constexpr Tag kGradient = 1;
constexpr Tag kCorrect = 2;

}  // namespace

PipelinePasses::PipelinePasses(const Experiment& experiment, Replica& replica, Strategy& strategy,
                               std::size_t first_batch)
    : experiment_(experiment),
      replica_(replica),
      worker_(replica.worker),
      strategy_(strategy),
      stage_(stage_of(experiment.scenario, experiment.graph, worker_.group().rank)),
      micro_batches_(experiment.scenario.micro_batches()),
      batch_size_(experiment.scenario.pass_batch_size()),
      order_(pass_order(experiment.scenario.algorithm.schedule, stage_.stages, stage_.index,
                        micro_batches_)),
      slots_(most_in_flight(order_)),
      next_batch_(first_batch) {
  for (Slot& slot : slots_) {
    if (!stage_.is_first()) slot.before = make_boundary(stage_.layers.first - 1);
    if (!stage_.is_last()) slot.after = make_boundary(stage_.layers.last);
  }
  if (experiment.data) make_networks();
}

PipelinePasses::Boundary PipelinePasses::make_boundary(int layer) {
  const std::size_t elements = batch_size_ * experiment_.graph.layers()[layer].output.elements();
  Boundary boundary;
  boundary.activation = worker_.allocate(elements, DType::kFloat32);
  boundary.gradient = worker_.allocate(elements, DType::kFloat32);
  return boundary;
}

void PipelinePasses::make_networks() {
  const Scenario& scenario = experiment_.scenario;
  const Chunk& own = stage_.parameters;
  View gradients = replica_.gradients.view().slice(own.offset, own.elements);
  if (micro_batches_ > 1) {
    pass_gradients_ = worker_.allocate(own.elements, DType::kFloat32);
    gradients = pass_gradients_.view();
  }
  const LayerGraph graph = experiment_.graph.stage(stage_.layers.first, stage_.layers.last);
  for (Slot& slot : slots_) {
    slot.network = experiment_.make_network(
        graph, batch_size_, replica_.parameters.view().slice(own.offset, own.elements), gradients);
    slot.network->share_statistics(*slots_.front().network);
  }
  const Dataset& train = experiment_.data->train;
  const int samples = batch_size_ * micro_batches_;
  const Shard shard(train.size(), samples, stage_.replicas, stage_.replica, scenario.seed);
  if (stage_.is_last()) shard_ = shard;
  if (!stage_.is_first()) return;
  input_ = std::make_unique<InputPipeline>(
      train, experiment_.graph.input(), shard, samples, batches_ahead(experiment_), next_batch_,
      [this](std::size_t n) { return slots_.front().network->allocate_images(n); });
}

std::optional<double> PipelinePasses::run(int iteration) {
  take_samples();
  for (int m = 0; m < std::ssize(slots_); ++m) receive_activation(m);
  double loss = 0;
  for (const MicroBatchPass& pass : order_) {
    if (pass.phase == Phase::kBackward) {
      backward(pass.micro_batch);
      continue;
    }
    forward(iteration, pass.micro_batch);
    if (shard_) loss += slot_of(pass.micro_batch).network->loss() / micro_batches_;
  }
  finish_sends();
  return shard_ ? std::optional(loss) : std::nullopt;
}

// Images come in at the first stage, labels are looked up by the last.
void PipelinePasses::take_samples() {
  if (shard_) {
    labels_.clear();
    for (const std::uint32_t sample : shard_->batch(next_batch_++)) {
      std::ranges::copy(experiment_.data->train.labels_of(sample), std::back_inserter(labels_));
    }
  }
  if (!stage_.is_first()) return;
  const double bytes = 4.0 * batch_size_ * micro_batches_ *
                       static_cast<double>(experiment_.graph.input().elements());
  Kernel kernel{.phase = Phase::kInput, .name = "input", .bytes = 2 * bytes, .body = {}};
  if (input_) kernel.body = [this] { images_ = input_->next().images; };
  Handle taken = worker_.compute(kernel);
  worker_.wait(taken);
}

void PipelinePasses::receive_activation(int micro_batch) {
  if (stage_.is_first() || micro_batch >= micro_batches_) return;
  Boundary& before = slot_of(micro_batch).before;
  before.activation_received =
      worker_.receive(stage_.rank() - 1, kActivation, before.activation.view());
}

std::span<const std::int32_t> PipelinePasses::labels_of(int micro_batch) const {
  if (labels_.empty()) return {};
  const std::size_t size = labels_.size() / micro_batches_;
  return std::span(labels_).subspan(micro_batch * size, size);
}

// What came in lies in the network then, so the slot's next may come.
void PipelinePasses::load(Slot& slot, int iteration, int micro_batch) {
  worker_.wait(slot.before.activation_received);
  if (slot.network) {
    const std::size_t size = batch_size_ * experiment_.graph.input().elements();
    const std::span<const float> taken =
        stage_.is_first() ? images_.subspan(micro_batch * size, size)
                          : std::span<const float>(slot.before.activation.view().floats());
    slot.network->load({taken, labels_of(micro_batch)}, Mode::kTraining,
                       dropout_seed(experiment_.scenario, stage_.rank(),
                                    iteration * micro_batches_ + micro_batch));
  }
  receive_activation(micro_batch + static_cast<int>(slots_.size()));
}

void PipelinePasses::forward(int iteration, int micro_batch) {
  Slot& slot = slot_of(micro_batch);
  Boundary& after = slot.after;
  load(slot, iteration, micro_batch);
  if (!stage_.is_last()) {
    after.gradient_received = worker_.receive(stage_.rank() + 1, kGradient, after.gradient.view());
  }
  for (int layer = stage_.layers.first; layer <= stage_.layers.last; ++layer) {
    run_layer(slot, layer, Phase::kForward, micro_batch);
  }
  if (stage_.is_last()) return;
  worker_.wait(after.activation_sent);
  if (slot.network) slot.network->copy_output(after.activation.view().floats());
  after.activation_sent = worker_.send(stage_.rank() + 1, kActivation, after.activation.view());
}

// The strategy hears of a layer once its gradients are final, behind the last micro-batch.
void PipelinePasses::backward(int micro_batch) {
  Slot& slot = slot_of(micro_batch);
  Boundary& before = slot.before;
  worker_.wait(slot.after.gradient_received);
  if (slot.network && !stage_.is_last()) {
    slot.network->load_output_gradient(slot.after.gradient.view().floats());
  }
  for (int layer = stage_.layers.last; layer >= stage_.layers.first; --layer) {
    run_layer(slot, layer, Phase::kBackward, micro_batch);
    if (micro_batch > 0) accumulate_gradients(layer);
    if (micro_batch + 1 == micro_batches_) strategy_.gradient_ready(layer);
  }
  if (stage_.is_first()) return;
  worker_.wait(before.gradient_sent);
  if (slot.network) slot.network->copy_input_gradient(before.gradient.view().floats());
  before.gradient_sent = worker_.send(stage_.rank() - 1, kGradient, before.gradient.view());
}

void PipelinePasses::run_layer(Slot& slot, int layer, Phase phase, int micro_batch) {
  Kernel kernel = layer_kernel(experiment_.graph, layer, phase, batch_size_);
  if (slot.network) {
    kernel.body = [&slot, layer, phase, micro_batch, this] {
      if (phase == Phase::kForward) {
        slot.network->forward(layer - stage_.layers.first + 1);
      } else {
        backward_layer(slot, layer, micro_batch);
      }
    };
  }
  Handle done = worker_.compute(kernel);
  worker_.wait(done);
}

void PipelinePasses::backward_layer(Slot& slot, int layer, int micro_batch) {
  slot.network->backward(layer - stage_.layers.first + 1);
  if (micro_batch > 0 || !pass_gradients_.view().has_data()) return;
  convert(layer_slice(replica_.gradients, layer, 0),
          layer_slice(pass_gradients_, layer, stage_.parameters.offset));
}

void PipelinePasses::accumulate_gradients(int layer) {
  const View sum = layer_slice(replica_.gradients, layer, 0);
  if (sum.elements == 0) return;
  std::function<void()> add_pass;
  if (pass_gradients_.view().has_data()) {
    add_pass = [=, this] {
      add(sum, layer_slice(pass_gradients_, layer, stage_.parameters.offset));
    };
  }
  compute_over(worker_, "accumulate", sum, 3, add_pass, layer);
}

View PipelinePasses::layer_slice(const Buffer& arena, int index, std::size_t begin) const {
  const Layer& layer = experiment_.graph.layers()[index];
  return arena.view().slice(layer.parameter_offset - begin, layer.parameter_elements);
}

void PipelinePasses::finish_sends() {
  for (Slot& slot : slots_) {
    worker_.wait(slot.after.activation_sent);
    worker_.wait(slot.before.gradient_sent);
  }
}

double PipelinePasses::accuracy() {
  const Dataset& test = experiment_.data->test;
  const BatchMaker maker(test, experiment_.graph.input());
  PreparedBatch batch = maker.allocate(batch_size_);
  const Buffer correct = worker_.allocate(1, DType::kInt64);
  std::int64_t& count = correct.view().numbers<std::int64_t>()[0];
  for (std::size_t first = 0; first < test.size(); first += batch_size_) {
    count += test_batch(first, batch, maker);
  }
  const int last = stage_.stages - 1;  // of the first pipeline
  Handle told;
  if (stage_.is_first() && last > 0) told = worker_.receive(last, kCorrect, correct.view());
  if (stage_.is_last() && last > 0) told = worker_.send(0, kCorrect, correct.view());
  worker_.wait(told);
  return static_cast<double>(count) / static_cast<double>(test.labels.size());
}

int PipelinePasses::test_batch(std::size_t first, PreparedBatch& batch, const BatchMaker& maker) {
  Slot& slot = slots_.front();
  if (stage_.is_first() || stage_.is_last()) maker.make_from(first, batch);
  if (!stage_.is_first()) {
    Handle received =
        worker_.receive(stage_.rank() - 1, kActivation, slot.before.activation.view());
    worker_.wait(received);
  }
  const std::span<const float> input =
      stage_.is_first() ? std::span<const float>(batch.images)
                        : std::span<const float>(slot.before.activation.view().floats());
  slot.network->load({input, batch.labels}, Mode::kEvaluation, 0);
  for (int layer = stage_.layers.first; layer <= stage_.layers.last; ++layer) {
    slot.network->forward(layer - stage_.layers.first + 1);
  }
  if (stage_.is_last()) return slot.network->correct();
  slot.network->copy_output(slot.after.activation.view().floats());
  Handle sent = worker_.send(stage_.rank() + 1, kActivation, slot.after.activation.view());
  worker_.wait(sent);
  return 0;
}

}  // namespace tandem
