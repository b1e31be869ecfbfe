#include "core/training/optimizer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/comm/elementwise.h"
#include "core/training/update_elements.h"

namespace tandem {
namespace {

constexpr std::size_t kBlock = 2048;  // so that 16-bit gradients need little room as float32

SquareSum sum_at(const View& sums, std::size_t index) {
  return square_sum_words(sums.slice(index * kSquareSumWords, kSquareSumWords));
}

std::size_t length_words(const OptimizerSpec& spec, std::size_t tensors) {
  return update_rule(spec).direction ? 2 * kSquareSumWords * tensors : 0;
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, std::vector<TensorPart> parts,
                     std::size_t length_words, DType weights)
    : spec_(spec), rule_(update_rule(spec)), parts_(std::move(parts)) {
  const std::size_t elements = parts_.empty() ? 0 : static_cast<std::size_t>(parts_.back().end);
  for (int i = 0; i < rule_.states; ++i) {
    state_.push_back(worker.allocate(elements, DType::kFloat32));
  }
  if (weights != DType::kFloat32) master_ = worker.allocate(elements, DType::kFloat32);
  lengths_ = worker.allocate(length_words, DType::kInt64);
  if (!is_layer_wise()) return;
  device_parts_ = worker.allocate(2 * parts_.size(), DType::kInt64);
  if (device_parts_.view().has_data()) {
    const View rows = device_parts_.view().on_host(Access::kOverwrite);
    std::memcpy(rows.data, parts_.data(), rows.bytes());
  }
}

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements, DType weights)
    : Optimizer(spec, worker, std::vector<TensorPart>{{static_cast<std::int64_t>(elements), 0}},
                length_words(spec, 1), weights) {}

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, const LayerGraph& graph,
                     std::span<const Chunk> chunks, DType weights)
    : Optimizer(spec, worker, parts_of(graph, chunks), tandem::length_words(spec, graph), weights) {
}

std::vector<TensorPart> Optimizer::parts_of(const LayerGraph& graph,
                                            std::span<const Chunk> chunks) {
  std::vector<TensorPart> parts;
  std::size_t before = 0;
  for (const Chunk& chunk : chunks) {
    int tensor = 0;
    for (const Layer& layer : graph.layers()) {
      for (const ParameterTensor& parameter : layer.parameters) {
        const std::size_t begin = std::max(chunk.offset, parameter.offset);
        const std::size_t end =
            std::min(chunk.offset + chunk.elements, parameter.offset + parameter.elements);
        if (begin < end)
          parts.push_back({static_cast<std::int64_t>(before + end - chunk.offset), tensor});
        ++tensor;
      }
    }
    before += chunk.elements;
  }
  return parts;
}

void Optimizer::begin_step(double learning_rate) {
  ++step_.number;
  step_.learning_rate = learning_rate;
  clear(lengths());
}

void Optimizer::visit_state(StateVisitor& visitor, const std::string& name,
                            const ArenaPlace& place) {
  visit_value(visitor, name + ".steps", step_.number);
  for (std::size_t i = 0; i < state_.size(); ++i)
    visitor.arena(name + ".state-" + std::to_string(i), state_[i].view(), place);
  if (master().elements > 0) visitor.arena(name + ".master", master(), place);
}

void Optimizer::measure(Worker& worker, View weights, View gradients, std::size_t state_offset,
                        float scale) {
  run(worker, Work::kMeasure, weights, gradients, state_offset, scale);
}

void Optimizer::step(Worker& worker, View weights, View gradients, std::size_t state_offset,
                     float scale) {
  run(worker, Work::kUpdate, weights, gradients, state_offset, scale);
}

void Optimizer::run(Worker& worker, Work work, View weights, View gradients,
                    std::size_t state_offset, float scale) {
  assert(step_.number > 0 && weights.elements == gradients.elements);
  const auto elements = static_cast<double>(weights.elements);
  // Reads gradients, reads and writes state and float32 weights, and writes 16-bit ones besides.
  const double states = 2.0 * sizeof(float) * (1 + rule_.states) * elements;
  const double rounded = master_.view().elements > 0 ? static_cast<double>(weights.bytes()) : 0;
  Kernel kernel{.phase = Phase::kUpdate,
                .name = work == Work::kMeasure ? "measure" : "update",
                .flops = rule_.flops * elements,
                .bytes = static_cast<double>(gradients.bytes()) + states + rounded,
                .body = {}};
  if (weights.has_data()) {
    kernel.body = [=, this] {
      if (!is_done_by_device(work, weights, gradients, state_offset, scale))
        visit(work, weights, gradients, state_offset, scale);
    };
  }
  Handle done = worker.compute(kernel);
  worker.wait(done);
}

bool Optimizer::is_done_by_device(Work work, View weights, View gradients, std::size_t state_offset,
                                  float scale) {
  if (weights.mirror == nullptr) return false;
  const auto part = [&](const Buffer& buffer) {
    return buffer.view().slice(state_offset, weights.elements);
  };
  const bool is_rounded = weights.dtype != DType::kFloat32;
  ArenaUpdate update{.spec = spec_,
                     .step = step_,
                     .weights = weights,
                     .whole = is_rounded ? part(master_) : weights,
                     .gradient = gradients,
                     .state = {},
                     .scale = scale,
                     .lengths = {device_parts_.view(), state_offset, lengths()}};
  for (std::size_t i = 0; i < state_.size(); ++i) update.state[i] = part(state_[i]);
  return work == Work::kMeasure ? weights.mirror->measure(update) : weights.mirror->update(update);
}

// Block by block, none of two tensors.
void Optimizer::visit(Work work, View weights, View gradients, std::size_t state_offset,
                      float scale) {
  std::array<float, kBlock> widened;
  weights = weights.on_host(work == Work::kMeasure ? Access::kRead : Access::kWrite);
  gradients = gradients.on_host(Access::kRead);
  const auto own = [&](const Buffer& buffer) {
    return buffer.view().slice(state_offset, weights.elements).on_host();
  };
  const bool is_rounded = weights.dtype != DType::kFloat32;
  const View master = is_rounded ? own(master_) : weights;
  std::array<View, 2> state;
  for (std::size_t i = 0; i < state_.size(); ++i) state[i] = own(state_[i]);
  auto part = std::ranges::upper_bound(parts_, static_cast<std::int64_t>(state_offset), {},
                                       &TensorPart::end);
  for (std::size_t at = 0, count = 0; at < weights.elements; at += count) {
    const auto left = [&] { return part->end - static_cast<std::int64_t>(state_offset + at); };
    while (left() <= 0) ++part;
    count = std::min({kBlock, weights.elements - at, static_cast<std::size_t>(left())});
    View gradient = gradients.slice(at, count);
    if (gradient.dtype != DType::kFloat32) {
      gradient = {.data = reinterpret_cast<std::byte*>(widened.data()), .elements = count};
      convert(gradient, gradients.slice(at, count));
    }
    const View weight = weights.slice(at, count);
    const View whole = master.slice(at, count);
    UpdateSlice slice{.weights = whole.floats().data(),
                      .gradient = gradient.floats().data(),
                      .elements = count,
                      .scale = scale};
    for (std::size_t i = 0; i < state_.size(); ++i) {
      slice.state[i] = state[i].slice(at, count).floats().data();
    }
    if (work == Work::kMeasure) {
      add_lengths(slice, part->tensor);
    } else {
      if (is_layer_wise()) slice.trust_ratio = trust_ratio_of(part->tensor);
      rule_.apply(spec_, step_, slice);
      if (is_rounded) convert(weight, whole);
    }
  }
}

void Optimizer::add_lengths(const UpdateSlice& slice, std::int64_t tensor) {
  std::array<float, kBlock> direction;
  rule_.direction(spec_, step_, slice, direction.data());
  add_squares({slice.weights, slice.elements}, sum_at(lengths(), 2 * tensor));
  add_squares({direction.data(), slice.elements}, sum_at(lengths(), 2 * tensor + 1));
}

float Optimizer::trust_ratio_of(std::int64_t tensor) const {
  return trust_ratio(square_sum(sum_at(lengths(), 2 * tensor)),
                     square_sum(sum_at(lengths(), 2 * tensor + 1)));
}

std::size_t length_words(const OptimizerSpec& spec, const LayerGraph& graph) {
  std::size_t tensors = 0;
  for (const Layer& layer : graph.layers()) tensors += layer.parameters.size();
  return length_words(spec, tensors);
}

}  // namespace tandem
