#include "core/model/layer_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/model/layer_costs.h"
#include "core/model/shape_inference.h"

namespace tandem {
namespace {

/// Of one sample, so that they can be counted in an int.
constexpr double kMostElements = std::numeric_limits<int>::max();
/// Of a model: a thousand times the largest there are.
constexpr double kMostParameters = 1e15;

double elements_of(const Shape& shape) {
  return double(shape.channels) * shape.height * shape.width;
}

void check_dimensions(const std::string& model, const Shape& input) {
  if (input.channels <= 0 || input.height <= 0 || input.width <= 0)
    throw InputError(
        fmt::format("model '{}': input is {}; channels, height and width must be at least 1", model,
                    to_string(input)));
  if (elements_of(input) > kMostElements)
    throw InputError(fmt::format("model '{}': input is {}; a sample can have {} elements at most",
                                 model, to_string(input), kMostElements));
}

void check_size(const Layer& layer, std::size_t parameters_before) {
  if (elements_of(layer.output) > kMostElements)
    throw InputError(fmt::format("makes {}; a sample can have {} elements at most",
                                 to_string(layer.output), kMostElements));
  double parameters = static_cast<double>(parameters_before);
  for (const ParameterTensor& tensor : layer.parameters)
    parameters += static_cast<double>(tensor.elements);
  if (parameters > kMostParameters)
    throw InputError(fmt::format("makes a model of {:.3g} parameters; {:.3g} are possible at most",
                                 parameters, kMostParameters));
}

template <typename Figure>
double sum(std::span<const Layer> layers, Figure figure) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [&](double total, const Layer& layer) { return total + figure(layer); });
}

}  // namespace

LayerGraph::LayerGraph(std::string name, Shape input) : name_(std::move(name)) {
  check_dimensions(name_, input);
  Layer layer;
  layer.name = "input";
  layer.output = input;
  names_.insert(layer.name);
  layers_.push_back(std::move(layer));
  boost::add_vertex(dag_);
}

int LayerGraph::add(std::string name, LayerKind kind, LayerOptions options,
                    std::vector<int> inputs) {
  Layer layer;
  layer.name = std::move(name);
  layer.kind = kind;
  layer.options = options;
  layer.inputs = std::move(inputs);
  try {
    connect(layer);
  } catch (const InputError& error) {
    throw InputError(fmt::format("model '{}', layer '{}' ({}): {}", name_, layer.name,
                                 to_string(kind), error.what()));
  }
  const auto vertex = boost::add_vertex(dag_);
  for (int input : layer.inputs)
    boost::add_edge(static_cast<Dag::vertex_descriptor>(input), vertex, dag_);
  parameter_elements_ += layer.parameter_elements;
  names_.insert(layer.name);
  layers_.push_back(std::move(layer));
  return static_cast<int>(vertex);
}

LayerGraph LayerGraph::stage(int first, int last) const {
  const Layer& before = layers_[first - 1];
  LayerGraph stage(name_, before.output);
  stage.is_stage_ = true;
  stage.layers_.front().needs_gradient = before.needs_gradient;
  for (int i = first; i <= last; ++i) {
    std::vector<int> inputs = layers_[i].inputs;
    for (int& input : inputs) {
      assert(input >= first - 1);
      input -= first - 1;
    }
    stage.add(layers_[i].name, layers_[i].kind, layers_[i].options, std::move(inputs));
  }
  return stage;
}

void LayerGraph::connect(Layer& layer) const {
  check_place(layer);
  std::vector<Shape> shapes;
  std::vector<const Layer*> sources;
  for (int input : layer.inputs) {
    sources.push_back(&layers_[input]);
    shapes.push_back(layers_[input].output);
  }
  layer.output = infer_shape(layer.kind, layer.options, shapes);
  layer.parameters = infer_parameters(layer.kind, layer.options, shapes.front());
  check_size(layer, parameter_elements_);
  layer.parameter_offset = parameter_elements_;
  for (ParameterTensor& tensor : layer.parameters) {
    tensor.offset += layer.parameter_offset;
    layer.parameter_elements += tensor.elements;
  }
  layer.needs_gradient =
      layer.parameter_elements > 0 ||
      std::any_of(sources.begin(), sources.end(), [](const Layer* l) { return l->needs_gradient; });
  infer_costs(layer, sources);
}

void LayerGraph::check_place(const Layer& layer) const {
  if (layers_.back().kind == LayerKind::kSoftmaxLoss) {
    throw InputError("comes after the loss, which must be the last layer");
  }
  if (layer.name.empty()) throw InputError("has no name");
  if (names_.contains(layer.name))
    throw InputError("another layer has this name; names must differ");
  for (int input : layer.inputs) {
    if (input < 0 || input >= static_cast<int>(layers_.size())) {
      throw InputError(
          fmt::format("reads layer {}; it must be one of the {} before it", input, layers_.size()));
    }
  }
  if (layer.kind == LayerKind::kEmbedding && layer.inputs != std::vector<int>{0}) {
    throw InputError("reads a layer; it must read the model's input, which holds the tokens");
  }
}

Shape LayerGraph::scores() const {
  const Layer& last = layers_.back();
  return last.kind == LayerKind::kSoftmaxLoss ? layers_[last.inputs.front()].output : last.output;
}

int LayerGraph::classes() const {
  return rows_of(scores()).features;
}

int LayerGraph::labels() const {
  return rows_of(scores()).count;
}

int LayerGraph::vocabulary() const {
  int vocabulary = 0;
  for (const Layer& layer : layers_) {
    if (layer.kind != LayerKind::kEmbedding) continue;
    const int known = layer.options.vocabulary;
    vocabulary = vocabulary == 0 ? known : std::min(vocabulary, known);
  }
  return vocabulary;
}

std::size_t LayerGraph::checkpoint_bytes() const {
  std::size_t elements = parameter_elements_;
  for (const Layer& layer : layers_) {
    if (layer.kind == LayerKind::kBatchNorm) elements += 2 * std::size_t(layer.output.channels);
  }
  return elements * sizeof(float);
}

double LayerGraph::forward_flops() const {
  return sum(layers_, [](const Layer& layer) { return layer.forward_flops; });
}

double LayerGraph::backward_flops() const {
  return sum(layers_, [](const Layer& layer) { return layer.backward_flops; });
}

double LayerGraph::multiply_adds() const {
  return sum(layers_, [](const Layer& layer) { return tandem::multiply_adds(layer); });
}

std::size_t LayerGraph::activation_bytes() const {
  std::size_t elements = 0;
  for (const Layer& layer : layers_) elements += layer.output.elements();
  return elements * sizeof(float);
}

Kernel layer_kernel(const LayerGraph& graph, int layer, Phase phase, int batch_size) {
  assert(phase == Phase::kForward || phase == Phase::kBackward);
  const Layer& cost = graph.layers()[layer];
  const auto parameter_bytes = static_cast<double>(cost.parameter_elements * sizeof(float));
  Kernel kernel;
  kernel.phase = phase;
  kernel.layer = layer;
  kernel.name = cost.name;
  if (phase == Phase::kForward) {
    kernel.flops = batch_size * cost.forward_flops;
    kernel.bytes = batch_size * cost.forward_bytes + parameter_bytes;
  } else {  // reads the weights, writes their gradients
    kernel.flops = batch_size * cost.backward_flops;
    kernel.bytes = batch_size * cost.backward_bytes + 2 * parameter_bytes;
  }
  return kernel;
}

}  // namespace tandem
