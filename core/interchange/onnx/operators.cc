#include "core/interchange/onnx/operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/interchange/onnx/shaping.h"
#include "core/interchange/onnx/window.h"

namespace tandem::onnx {
namespace {

using Dims = std::vector<std::int64_t>;

/// Whether an input is a bias. One of zeros is none: an exporter needed something to put there.
bool has_bias(const Translation& to, const Node& node) {
  const Value* bias = to.find(node, 2);
  if (bias != nullptr && bias->is_layer()) to.fail(node, "has a bias that is computed");
  return bias != nullptr && !bias->tensor.is_zero;
}

void convolution(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  if (input.rank != 4) to.fail(node, "reads vectors; it needs images");
  const std::vector<int> weights = to.weight_sizes(node, 1, 4);
  LayerOptions options;
  options.outputs = weights[0];
  options.kernel_height = weights[2];
  options.kernel_width = weights[3];
  options.groups = read_int(node, "group", node.integer("group", 1), 1);
  options.bias = has_bias(to, node);
  read_window(node, to.shape(input), options);
  if (options.kernel_height != weights[2] || options.kernel_width != weights[3])
    to.fail(node,
            fmt::format("kernel_shape is {}x{}, but its weights are {}", options.kernel_height,
                        options.kernel_width, fmt::join(weights, "x")));
  const std::int64_t channels = std::int64_t{weights[1]} * options.groups;
  if (channels != to.shape(input).channels)
    to.fail(node, fmt::format("its weights are for {} input channels, but it reads {}", channels,
                              to_string(to.shape(input))));
  to.add_layer(node, LayerKind::kConvolution, options, {input}, 4);
}

void add_linear(Translation& to, const Node& node, int inputs, int outputs, bool bias) {
  const Value& input = to.activation(node, 0);
  if (input.rank != 2)
    to.fail(node, fmt::format("reads {}; it needs vectors, so flatten before it",
                              to_string(to.shape(input))));
  if (inputs != to.shape(input).channels)
    to.fail(node, fmt::format("its weights are for {} features, but it reads {}", inputs,
                              to.shape(input).channels));
  LayerOptions options;
  options.outputs = outputs;
  options.bias = bias;
  to.add_layer(node, LayerKind::kLinear, options, {input}, 2);
}

void gemm(Translation& to, const Node& node) {
  if (node.number("alpha", 1) != 1 || node.number("beta", 1) != 1 || node.integer("transA", 0) != 0)
    to.fail(node, "has alpha, beta or transA; only x times weights plus bias is possible");
  std::vector<int> weights = to.weight_sizes(node, 1, 2);
  if (node.integer("transB", 0) != 0) std::swap(weights[0], weights[1]);
  add_linear(to, node, weights[0], weights[1], has_bias(to, node));
}

void matrix_product(Translation& to, const Node& node) {
  const std::vector<int> weights = to.weight_sizes(node, 1, 2);
  add_linear(to, node, weights[0], weights[1], false);
}

/// A float as it was meant: 0.1 for 0.100000001.
double as_written(double number) {
  return std::stod(fmt::format("{:.6g}", number));
}

void batch_norm(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  const int scales = to.weight_sizes(node, 1, 1)[0];
  if (scales != to.shape(input).channels)
    to.fail(node,
            fmt::format("has {} scales, but reads {} channels", scales, to.shape(input).channels));
  LayerOptions options;
  options.epsilon = as_written(node.number("epsilon", 1e-5));
  options.momentum = as_written(1 - node.number("momentum", 0.9));  // ONNX's is of the old mean
  to.add_layer(node, LayerKind::kBatchNorm, options, {input}, input.rank);
}

template <LayerKind kind>
void elementwise(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  to.add_layer(node, kind, {}, {input}, input.rank);
}

/// A bound of Clip, which older files have as an attribute and newer ones as an input.
double bound(Translation& to, const Node& node, const char* attribute, std::size_t input,
             double missing) {
  if (!node.has_input(input)) return node.number(attribute, missing);
  const std::vector<double>& numbers = to.numbers(node, input);
  return numbers.size() == 1 ? numbers[0] : std::numeric_limits<double>::quiet_NaN();
}

void clip(Translation& to, const Node& node) {
  constexpr double kNone = std::numeric_limits<float>::max();
  const double least = bound(to, node, "min", 1, -kNone);
  const double most = bound(to, node, "max", 2, kNone);
  if (least == 0 && most == 6) return elementwise<LayerKind::kRelu6>(to, node);
  if (least == 0 && most >= kNone) return elementwise<LayerKind::kRelu>(to, node);
  to.fail(node, fmt::format("clips to {} and {}; only 0 and 6 (relu6) are possible, and 0 and none "
                            "(relu)",
                            least, most));
}

void require_one_output(Translation& to, const Node& node) {
  if (node.outputs.size() > 1 && !node.outputs[1].empty())
    to.fail(node, "has a second output, of indices; only the maxima are possible");
}

template <LayerKind kind>
void pool(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  if (input.rank != 4) to.fail(node, "reads vectors; it needs images");
  require_one_output(to, node);
  LayerOptions options;
  read_window(node, to.shape(input), options);
  options.ceil_mode = node.integer("ceil_mode", 0) != 0;
  options.count_padding = node.integer("count_include_pad", 0) != 0;
  const bool does_nothing = options.kernel_height * options.kernel_width == 1 &&
                            options.stride_height * options.stride_width == 1 &&
                            options.padding_height + options.padding_width == 0;
  if (does_nothing) return to.set(node, input);  // of an adaptive pool whose input fits
  to.add_layer(node, kind, options, {input}, 4);
}

void global_pool(Translation& to, const Node& node) {
  to.add_layer(node, LayerKind::kGlobalAveragePool, {}, {to.activation(node, 0)}, 4);
}

// Over height and width it is a global average pool.
void mean(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  Dims axes = node.integers("axes");
  if (node.has_input(1)) axes = whole(node, to.numbers(node, 1));
  for (std::int64_t& axis : axes) axis += axis < 0 ? input.rank : 0;
  std::ranges::sort(axes);
  if (input.rank != 4 || axes != Dims{2, 3})
    to.fail(node, "takes the mean of other axes than height and width");
  const int rank = node.integer("keepdims", 1) != 0 ? 4 : 2;
  to.add_layer(node, LayerKind::kGlobalAveragePool, {}, {input}, rank);
}

/// Whether a tensor has a number for each output of a layer, to be added to all that it gives.
bool is_bias(const Tensor& tensor, int outputs, int rank) {
  Dims dims = tensor.dims;
  const std::size_t behind = rank == 4 ? 2 : 0;
  for (std::size_t i = 0; i < behind; ++i) {
    if (dims.empty() || dims.back() != 1) return false;
    dims.pop_back();
  }
  while (dims.size() > 1 && dims.front() == 1) dims.erase(dims.begin());
  return dims == Dims{outputs};
}

// A product with weights and then an addition of a bias are one layer.
bool add_bias(Translation& to, const Node& node) {
  for (const std::size_t computed : {0, 1}) {
    const Value *value = to.find(node, computed), *other = to.find(node, 1 - computed);
    if (!value || !other || value->layer < 1 || other->is_layer()) continue;
    LayerSpec& layer = to.layer_of(*value);
    const bool multiplies =
        layer.kind == LayerKind::kLinear || layer.kind == LayerKind::kConvolution;
    if (!multiplies || layer.options.bias || !to.is_only_reader(node, computed) ||
        !is_bias(other->tensor, layer.options.outputs, value->rank))
      continue;
    layer.options.bias = true;
    to.set(node, *value);
    return true;
  }
  return false;
}

void add(Translation& to, const Node& node) {
  if (node.inputs.size() == 2 && add_bias(to, node)) return;
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(to.activation(node, i));
  if (inputs.size() == 1) return to.set(node, inputs[0]);
  if (inputs.empty()) to.fail(node, "has no input");
  to.add_layer(node, LayerKind::kAdd, {}, inputs, inputs[0].rank);
}

void concat(Translation& to, const Node& node) {
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(to.activation(node, i));
  if (inputs.empty()) to.fail(node, "has no input");
  const std::int64_t axis = node.integer("axis", 1);
  if (axis != 1 && axis != 1 - inputs[0].rank)
    to.fail(node, fmt::format("joins along axis {}; only channels, axis 1, are possible", axis));
  if (inputs.size() == 1) return to.set(node, inputs[0]);
  std::int64_t channels = 0;
  for (const Value& input : inputs) channels += to.shape(input).channels;
  read_int(node, "the sum of channels", channels, 1);
  to.add_layer(node, LayerKind::kConcat, {}, inputs, inputs[0].rank);
}

void dropout(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  LayerOptions options;
  options.probability = node.number("ratio", 0.5);
  if (node.has_input(1)) {
    const std::vector<double>& ratio = to.numbers(node, 1);
    if (ratio.size() != 1) to.fail(node, "has a ratio that is no single number");
    options.probability = ratio[0];
  }
  options.probability = as_written(options.probability);
  to.add_layer(node, LayerKind::kDropout, options, {input}, input.rank);
}

void softmax(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  if (!to.is_output(node))
    to.fail(node, "is not at the end; only there it is possible, where the loss takes its place");
  const std::int64_t axis = node.integer("axis", 1);
  if (input.rank != 2 || (axis != 1 && axis != -1))
    to.fail(node, "is not over the classes of a vector");
  to.set(node, input);
}

void identity(Translation& to, const Node& node) {
  to.set(node, to.activation(node, 0));
}

// The other input says of what type; either may be known beforehand.
void cast_like(Translation& to, const Node& node) {
  const Value* value = to.find(node, 0);
  if (value == nullptr) to.fail(node, "has no input");
  to.set(node, *value);
}

const std::map<std::string_view, Operator> kOperators = {
    {"Add", add},
    {"AveragePool", pool<LayerKind::kAveragePool>},
    {"BatchNormalization", batch_norm},
    {"Cast", identity},
    {"CastLike", cast_like},
    {"Clip", clip},
    {"Concat", concat},
    {"Conv", convolution},
    {"Dropout", dropout},
    {"Flatten", flatten},
    {"Gelu", elementwise<LayerKind::kGelu>},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool},
    {"Identity", identity},
    {"LogSoftmax", softmax},
    {"MatMul", matrix_product},
    {"MaxPool", pool<LayerKind::kMaxPool>},
    {"ReduceMean", mean},
    {"Relu", elementwise<LayerKind::kRelu>},
    {"Reshape", reshape},
    {"Shape", shape},
    {"Softmax", softmax},
    {"Squeeze", squeeze},
    {"Sum", add},
    {"Unsqueeze", unsqueeze},
};

}  // namespace

Operator find_operator(std::string_view name) {
  const auto found = kOperators.find(name);
  return found == kOperators.end() ? nullptr : found->second;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const auto& [name, translate] : kOperators) names.emplace_back(name);
  return names;
}

}  // namespace tandem::onnx
