#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// Of one sample: channels, height, width. Vectors are {features, 1, 1}. Sequences are
/// {1, positions, features}, tokens {1, positions, 1}: their numbers, which are exact in a float.
struct Shape {
  int channels = 1;
  int height = 1;
  int width = 1;

  std::size_t elements() const { return std::size_t(channels) * height * width; }
  bool operator==(const Shape&) const = default;
};

/// What layers of vectors see of a shape: a vector is one row, of a sequence each position is one.
struct Rows {
  int count = 1;
  int features = 1;
};

inline Rows rows_of(const Shape& shape) {
  const bool is_vector = shape.height == 1 && shape.width == 1;
  if (is_vector) return {1, shape.channels};
  return {shape.channels * shape.height, shape.width};
}

enum class LayerKind {
  kInput,
  kConvolution,
  kLinear,
  kBatchNorm,
  kRelu,
  kRelu6,
  kMaxPool,
  kAveragePool,
  kGlobalAveragePool,
  kDropout,
  kFlatten,
  kAdd,
  kConcat,
  kEmbedding,    ///< of tokens: a learned vector of the token and one of its position, added up
  kLayerNorm,    ///< of each row
  kGelu,         ///< by its approximation with tanh
  kAttention,    ///< causal, of several heads; a row of its input is query, key and value
  kSoftmaxLoss,  ///< softmax of each row and cross-entropy against its label, averaged over the
                 ///< batch's rows; ends every model
};

/// The name in YAML models and device profiles, such as "convolution".
const char* to_string(LayerKind kind);

/// The kind of that name, or nothing.
std::optional<LayerKind> parse_layer_kind(const std::string& name);

/// The names that parse_layer_kind() knows, sorted.
std::vector<std::string> layer_kind_names();

/// "3x224x224", for messages.
std::string to_string(const Shape& shape);

/// What a layer of a kind needs to know; fields that its kind has no use for keep their defaults.
struct LayerOptions {
  int outputs = 0;  ///< convolution: output channels; linear, embedding: output features
  int kernel_height = 1, kernel_width = 1;
  int stride_height = 1, stride_width = 1;
  int padding_height = 0, padding_width = 0;
  int groups = 1;
  bool bias = true;  ///< convolution and linear
  bool ceil_mode =
      false;  ///< pools: the last window may begin inside and end outside the padded input
  bool count_padding = true;  ///< average pool: padded zeros count in the divisor
  double probability = 0.5;   ///< dropout: of an activation to be zeroed
  double epsilon = 1e-5;      ///< batch norm and layer norm
  double momentum = 0.1;      ///< batch norm: weight of the new batch in the running statistics
  bool each_row = false;      ///< linear: of each row by itself, not of all that a sample has
  int vocabulary = 0;         ///< embedding: tokens are 0 to below this
  int heads = 1;              ///< attention
};

/// How a parameter tensor begins.
enum class Initializer {
  kUniformFanIn,  ///< uniform in +-1/sqrt(fan_in), as torch.nn.Conv2d and Linear do
  kSmallNormal,   ///< normal with standard deviation 0.02, as GPT-2's embeddings
  kOnes,
  kZeros,
};

/// A tensor within the flat parameter arena, in plain row-major order: convolution weights are
/// {outputs, inputs / groups, kernel height, kernel width}, linear weights {outputs, inputs} over
/// the flattened input in {channels, height, width} order, embeddings {vocabulary, outputs} and
/// {positions, outputs}, everything else {channels} or {features}.
struct ParameterTensor {
  std::string name;        ///< "weight" or "bias"; norms: "weight" (scale) and "bias" (shift);
                           ///< embedding: "weight" (of tokens) and "position"
  std::size_t offset = 0;  ///< of its first element in the arena
  std::size_t elements = 0;
  std::size_t fan_in = 0;
  Initializer initializer = Initializer::kZeros;
};

/// One layer of a model, with what follows from its options and its inputs' shapes. Costs are of
/// one sample; a multiply-add counts as two FLOPs.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kInput;
  LayerOptions options;
  std::vector<int> inputs;  ///< indices of the layers it reads, in order
  Shape output;
  std::vector<ParameterTensor>
      parameters;  ///< consecutive in the arena: [parameter_offset, +parameter_elements)
  std::size_t parameter_offset = 0;
  std::size_t parameter_elements = 0;
  bool needs_gradient =
      false;  ///< it, or a layer before it, has parameters: backward reaches its output
  double forward_flops = 0;
  double backward_flops =
      0;  ///< gradients by the input (where an input needs one) and by the parameters
  double forward_bytes =
      0;  ///< activations read and written; parameters are counted once a batch by kernel_cost()
  double backward_bytes = 0;
};

}  // namespace tandem
