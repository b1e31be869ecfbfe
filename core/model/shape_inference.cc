#include "core/model/shape_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/error.h"

namespace tandem {
namespace {

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError(message);
}

/// One spatial direction of a window that slides over an input. Sums of sides may be no int.
struct Window {
  std::int64_t kernel, stride, padding;
};

Window vertical(const LayerOptions& o) {
  return {o.kernel_height, o.stride_height, o.padding_height};
}
Window horizontal(const LayerOptions& o) {
  return {o.kernel_width, o.stride_width, o.padding_width};
}

void check_window(const LayerOptions& o, const Shape& input) {
  require(o.kernel_height > 0 && o.kernel_width > 0,
          fmt::format("kernel is {}x{}; it must be at least 1x1", o.kernel_height, o.kernel_width));
  require(o.stride_height > 0 && o.stride_width > 0,
          fmt::format("stride is {}x{}; it must be at least 1x1", o.stride_height, o.stride_width));
  require(
      o.padding_height >= 0 && o.padding_width >= 0,
      fmt::format("padding is {}x{}; it must not be negative", o.padding_height, o.padding_width));
  const auto least = [](Window window) {
    return std::max<std::int64_t>(1, window.kernel - 2 * window.padding);
  };
  require(input.height >= least(vertical(o)) && input.width >= least(horizontal(o)),
          fmt::format("kernel {}x{} does not fit input {} with padding {}x{}; the input must be at "
                      "least {}x{}",
                      o.kernel_height, o.kernel_width, to_string(input), o.padding_height,
                      o.padding_width, least(vertical(o)), least(horizontal(o))));
}

int to_side(std::int64_t side) {
  require(side <= std::numeric_limits<int>::max(),
          fmt::format("has a side of {}, which is more than any layer's", side));
  return static_cast<int>(side);
}

int positions(int input, Window window) {
  return to_side((input + 2 * window.padding - window.kernel) / window.stride + 1);
}

// As PyTorch and Caffe define it: a window more where the last one leaves a rest, unless that
// window would begin in the padding behind the input.
int positions_ceil(int input, Window window) {
  const std::int64_t rest = input + 2 * window.padding - window.kernel;
  const std::int64_t count = (rest + window.stride - 1) / window.stride + 1;
  return to_side((count - 1) * window.stride >= input + window.padding ? count - 1 : count);
}

void check_outputs(const LayerOptions& options) {
  require(options.outputs > 0,
          fmt::format("outputs is {}; it must be at least 1", options.outputs));
}

Shape convolution(const LayerOptions& options, const Shape& input) {
  check_outputs(options);
  check_window(options, input);
  require(options.groups > 0 && input.channels % options.groups == 0 &&
              options.outputs % options.groups == 0,
          fmt::format("groups is {}; it must divide both {} input channels and {} outputs",
                      options.groups, input.channels, options.outputs));
  return {options.outputs, positions(input.height, vertical(options)),
          positions(input.width, horizontal(options))};
}

Shape pool(const LayerOptions& options, const Shape& input) {
  check_window(options, input);
  require(
      options.padding_height <= options.kernel_height / 2 &&
          options.padding_width <= options.kernel_width / 2,
      fmt::format("padding {}x{} is more than half of kernel {}x{}; a window could hold nothing",
                  options.padding_height, options.padding_width, options.kernel_height,
                  options.kernel_width));
  auto count = options.ceil_mode ? positions_ceil : positions;
  return {input.channels, count(input.height, vertical(options)),
          count(input.width, horizontal(options))};
}

Shape batch_norm(const LayerOptions& options, const Shape& input) {
  require(options.epsilon > 0, fmt::format("epsilon is {}; it must be above 0", options.epsilon));
  require(options.momentum >= 0 && options.momentum <= 1,
          fmt::format("momentum is {}; it must be from 0 to 1", options.momentum));
  return input;
}

Shape dropout(const LayerOptions& options, const Shape& input) {
  require(options.probability >= 0 && options.probability < 1,
          fmt::format("probability is {}; it must be at least 0 and below 1", options.probability));
  return input;
}

Shape add(std::span<const Shape> inputs) {
  for (const Shape& input : inputs) {
    require(input == inputs.front(), fmt::format("adds {} to {}; its inputs must be of one shape",
                                                 to_string(input), to_string(inputs.front())));
  }
  return inputs.front();
}

Shape concat(std::span<const Shape> inputs) {
  Shape output = inputs.front();
  std::int64_t channels = output.channels;
  for (const Shape& input : inputs.subspan(1)) {
    require(input.height == output.height && input.width == output.width,
            fmt::format("joins {} and {}; its inputs must be of one height and width",
                        to_string(inputs.front()), to_string(input)));
    channels += input.channels;
  }
  output.channels = to_side(channels);
  return output;
}

bool is_vector(const Shape& shape) {
  return shape.height == 1 && shape.width == 1;
}

void check_rows(const Shape& input) {
  require(is_vector(input) || input.channels == 1,
          fmt::format("takes a vector, or a sequence of 1 channel, not {}", to_string(input)));
}

Shape linear(const LayerOptions& options, const Shape& input) {
  check_outputs(options);
  if (!options.each_row || is_vector(input)) return {options.outputs, 1, 1};
  check_rows(input);
  return {1, input.height, options.outputs};
}

Shape layer_norm(const LayerOptions& options, const Shape& input) {
  require(options.epsilon > 0, fmt::format("epsilon is {}; it must be above 0", options.epsilon));
  check_rows(input);
  return input;
}

Shape embedding(const LayerOptions& options, const Shape& input) {
  constexpr int kMostExact = 1 << 24;  // as a float32
  check_outputs(options);
  require(options.vocabulary > 0 && options.vocabulary <= kMostExact,
          fmt::format("vocabulary is {}; it must be from 1 to 2^24", options.vocabulary));
  require(input.channels == 1 && input.width == 1,
          fmt::format("takes tokens, 1 x positions x 1, not {}", to_string(input)));
  return {1, input.height, options.outputs};
}

Shape attention(const LayerOptions& options, const Shape& input) {
  require(options.heads > 0, fmt::format("heads is {}; it must be at least 1", options.heads));
  require(input.channels == 1 && input.width % (3L * options.heads) == 0,
          fmt::format("takes a sequence whose rows are a query, a key and a value for each of {} "
                      "heads, not {}; the last number must be a multiple of {}",
                      options.heads, to_string(input), 3L * options.heads));
  return {1, input.height, input.width / 3};
}

Shape softmax_loss(const Shape& input) {
  require(is_vector(input) || input.channels == 1,
          fmt::format("takes one figure a class, not {}; put a linear or global_average_pool layer "
                      "before it",
                      to_string(input)));
  return input;
}

void check_input_count(LayerKind kind, std::size_t count) {
  const bool joins = kind == LayerKind::kAdd || kind == LayerKind::kConcat;
  if (joins) {
    require(count >= 2, fmt::format("has {} input; it needs two or more", count));
  } else {
    require(count == 1, fmt::format("has {} inputs; it needs one", count));
  }
}

}  // namespace

Shape infer_shape(LayerKind kind, const LayerOptions& options, std::span<const Shape> inputs) {
  require(kind != LayerKind::kInput, "only the first layer of a model is its input");
  check_input_count(kind, inputs.size());
  const Shape& input = inputs.front();
  switch (kind) {
    case LayerKind::kConvolution:
      return convolution(options, input);
    case LayerKind::kLinear:
      return linear(options, input);
    case LayerKind::kEmbedding:
      return embedding(options, input);
    case LayerKind::kLayerNorm:
      return layer_norm(options, input);
    case LayerKind::kAttention:
      return attention(options, input);
    case LayerKind::kBatchNorm:
      return batch_norm(options, input);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
      return pool(options, input);
    case LayerKind::kGlobalAveragePool:
      return {input.channels, 1, 1};
    case LayerKind::kDropout:
      return dropout(options, input);
    case LayerKind::kFlatten:
      return {static_cast<int>(input.elements()), 1, 1};
    case LayerKind::kAdd:
      return add(inputs);
    case LayerKind::kConcat:
      return concat(inputs);
    case LayerKind::kSoftmaxLoss:
      return softmax_loss(input);
    case LayerKind::kInput:
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kGelu:
      break;
  }
  return input;
}

std::vector<ParameterTensor> infer_parameters(LayerKind kind, const LayerOptions& options,
                                              const Shape& input) {
  const std::size_t outputs = options.outputs;
  if (kind == LayerKind::kBatchNorm || kind == LayerKind::kLayerNorm) {
    const std::size_t scales =
        kind == LayerKind::kBatchNorm ? input.channels : rows_of(input).features;
    return {{"weight", 0, scales, scales, Initializer::kOnes},
            {"bias", scales, scales, scales, Initializer::kZeros}};
  }
  if (kind == LayerKind::kEmbedding) {
    const std::size_t of_tokens = std::size_t(options.vocabulary) * outputs;
    const std::size_t of_positions = std::size_t(input.height) * outputs;
    return {{"weight", 0, of_tokens, outputs, Initializer::kSmallNormal},
            {"position", of_tokens, of_positions, outputs, Initializer::kSmallNormal}};
  }
  std::size_t fan_in = 0;
  if (kind == LayerKind::kConvolution) {
    constexpr double kMostWeights = 1e15;
    const double weights = double(outputs) * (input.channels / options.groups) *
                           options.kernel_height * options.kernel_width;
    require(weights <= kMostWeights,
            fmt::format("has {:.3g} weights; {:.3g} are possible at most", weights, kMostWeights));
    fan_in =
        std::size_t(input.channels / options.groups) * options.kernel_height * options.kernel_width;
  } else if (kind == LayerKind::kLinear) {
    fan_in = options.each_row ? std::size_t(rows_of(input).features) : input.elements();
  } else {
    return {};
  }
  std::vector<ParameterTensor> tensors = {
      {"weight", 0, outputs * fan_in, fan_in, Initializer::kUniformFanIn}};
  if (options.bias) {
    tensors.push_back({"bias", outputs * fan_in, outputs, fan_in, Initializer::kUniformFanIn});
  }
  return tensors;
}

}  // namespace tandem
