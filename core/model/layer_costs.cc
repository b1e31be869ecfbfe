#include "core/model/layer_costs.h"

namespace tandem {
namespace {

constexpr double kFloatBytes = 4;

/// What passes through a layer for one sample, in elements.
struct Traffic {
  double in = 0;           ///< read in forward
  double out = 0;          ///< written in forward
  double in_gradient = 0;  ///< written in backward: of those inputs that need one
};

Traffic traffic(const Layer& layer, std::span<const Layer* const> inputs) {
  Traffic traffic;
  traffic.out = static_cast<double>(layer.output.elements());
  for (const Layer* input : inputs) {
    const auto elements = static_cast<double>(input->output.elements());
    traffic.in += elements;
    if (input->needs_gradient) traffic.in_gradient += elements;
  }
  return traffic;
}

/// FLOPs and elements moved by one pass over one sample.
struct Cost {
  double flops = 0;
  double elements = 0;
};

Cost forward_cost(const Layer& layer, const Traffic& t) {
  const double window = double(layer.options.kernel_height) * layer.options.kernel_width;
  switch (layer.kind) {
    case LayerKind::kConvolution:
    case LayerKind::kLinear:
      return {2 * multiply_adds(layer), t.in + t.out};
    case LayerKind::kBatchNorm:  // mean and variance in one pass, then scale and shift in another
      return {5 * t.in, 2 * t.in + t.out};
    case LayerKind::kLayerNorm:  // the same; a row stays in the cache for the second pass
      return {5 * t.in, t.in + t.out};
    case LayerKind::kEmbedding:  // two rows of the tables, which are counted as parameters
      return {t.out, t.in + t.out};
    case LayerKind::kAttention:  // scores are written, softmax reads and writes, values are weighed
      return {2 * multiply_adds(layer) + 5 * attention_scores(layer),
              t.in + t.out + 4 * attention_scores(layer)};
    case LayerKind::kGelu:  // x / 2 (1 + tanh(a (x + b x^3)))
      return {8 * t.out, t.in + t.out};
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kDropout:
      return {t.out, t.in + t.out};
    case LayerKind::kMaxPool:  // keeps where each maximum was
      return {window * t.out, t.in + 2 * t.out};
    case LayerKind::kAveragePool:
      return {window * t.out, t.in + t.out};
    case LayerKind::kGlobalAveragePool:
      return {t.in, t.in + t.out};
    case LayerKind::kAdd:
      return {t.in - t.out, t.in + t.out};
    case LayerKind::kConcat:
      return {0, t.in + t.out};
    case LayerKind::kSoftmaxLoss:  // maximum, difference, exponential, sum, quotient
      return {5 * t.in, t.in + t.out};
    case LayerKind::kInput:
    case LayerKind::kFlatten:  // another name for the same memory
      break;
  }
  return {};
}

Cost backward_cost(const Layer& layer, const Traffic& t) {
  const bool passes_on = t.in_gradient > 0;
  switch (layer.kind) {
    case LayerKind::kConvolution:
    case LayerKind::kLinear: {
      // By the parameters from input and output gradient; by the input from the output gradient.
      const double products = 2 * multiply_adds(layer);
      return {passes_on ? 2 * products : products,
              t.in + t.out + (passes_on ? t.out + t.in_gradient : 0)};
    }
    case LayerKind::kBatchNorm:  // two sums over input and output gradient, then the input gradient
      return {passes_on ? 9 * t.in : 4 * t.in,
              passes_on ? 2 * (t.in + t.out) + t.in_gradient : t.in + t.out};
    case LayerKind::kLayerNorm:
      return {passes_on ? 9 * t.in : 4 * t.in, t.in + t.out + t.in_gradient};
    case LayerKind::kEmbedding:
      return {t.out, t.in + t.out};
    default:
      break;
  }
  if (!passes_on) return {};
  const double window = double(layer.options.kernel_height) * layer.options.kernel_width;
  switch (layer.kind) {
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kDropout:
    case LayerKind::kMaxPool:  // beside the output gradient, the output or what else was kept
      return {t.out, 2 * t.out + t.in_gradient};
    case LayerKind::kGelu:
      return {13 * t.out, t.in + t.out + t.in_gradient};
    case LayerKind::kAttention:  // four products; the scores' gradient is made, and once
                                 // overwritten
      return {4 * multiply_adds(layer) + 4 * attention_scores(layer),
              t.in + t.out + t.in_gradient + 7 * attention_scores(layer)};
    case LayerKind::kAveragePool:
      return {window * t.out, t.out + t.in_gradient};
    case LayerKind::kGlobalAveragePool:
    case LayerKind::kSoftmaxLoss:
      return {t.in_gradient, t.out + t.in_gradient};
    case LayerKind::kAdd:
    case LayerKind::kConcat:
      return {0, t.out + t.in_gradient};
    default:
      return {};
  }
}

}  // namespace

double attention_scores(const Layer& layer) {
  if (layer.kind != LayerKind::kAttention) return 0;
  return double(layer.options.heads) * layer.output.height * layer.output.height;
}

double multiply_adds(const Layer& layer) {
  if (layer.kind == LayerKind::kAttention) {  // queries by keys, scores by values
    return 2 * double(layer.output.elements()) * layer.output.height;
  }
  if (layer.kind != LayerKind::kConvolution && layer.kind != LayerKind::kLinear) return 0;
  return double(layer.output.elements()) * double(layer.parameters.front().fan_in);
}

void infer_costs(Layer& layer, std::span<const Layer* const> inputs) {
  const Traffic elements = traffic(layer, inputs);
  const Cost forward = forward_cost(layer, elements);
  const Cost backward = backward_cost(layer, elements);
  layer.forward_flops = forward.flops;
  layer.forward_bytes = forward.elements * kFloatBytes;
  layer.backward_flops = backward.flops;
  layer.backward_bytes = backward.elements * kFloatBytes;
}

}  // namespace tandem
