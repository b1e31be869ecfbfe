#include "real/cuda/pointwise_convolution.h"

#include <algorithm>

#include "real/cuda/floats.h"
#include "real/cuda/kernels/works.h"

namespace tandem::cuda {
namespace {

/// Samples whose gradients by the weights are products of their own, to be added up then: enough
/// for a GPU to be busy, and few enough for little memory.
constexpr int kSamplesAtOnce = 16;

class PointwiseConvolution final : public Convolution {
 public:
  PointwiseConvolution(Engine& engine, const ConvolutionShape& shape)
      : engine_(engine),
        shape_(shape),
        kept_(shape.input),
        inputs_(shape.input.channels),
        outputs_(shape.output.channels),
        pixels_(shape.output.space()),
        samples_(shape.input.batch) {
    kept_.height = shape.output.height;
    kept_.width = shape.output.width;
  }

  void forward(const std::byte* input, const std::byte* weights, std::byte* output) override {
    const std::byte* read = keeps_all() ? input : subsample(input, kept_bytes());
    engine_.multiply({.a = matrix(weights, outputs_, inputs_),
                      .b = samples(read, inputs_),
                      .to = samples(output, outputs_),
                      .count = samples_});
  }

  void backward_weights(const std::byte* input, const std::byte* output_gradient,
                        std::byte* weight_gradient) override {
    const int at_once = std::min(samples_, kSamplesAtOnce);
    const int weights = inputs_ * outputs_;
    const std::size_t part_bytes = std::size_t(at_once) * weights * sizeof(float);
    std::byte* parts = engine_.scratch(part_bytes + (keeps_all() ? 0 : kept_bytes()));
    const std::byte* read = input;
    if (!keeps_all()) subsample(input, read = parts + part_bytes);
    Matrix sums = matrix(parts, outputs_, inputs_);
    sums.step = weights;
    for (int first = 0; first < samples_; first += at_once) {
      Matrix inputs = samples(read, inputs_, first);
      inputs.transposed = true;
      engine_.multiply({.a = samples(output_gradient, outputs_, first),
                        .b = inputs,
                        .to = sums,
                        .adds = first > 0,
                        .count = std::min(at_once, samples_ - first)});
    }
    launch_items(engine_, weights,
                 SumOfArrays<float>{floats(parts), weights, at_once, floats(weight_gradient)});
  }

  void backward_input(const std::byte* weights, const std::byte* output_gradient,
                      std::byte* input_gradient, bool adds) override {
    Matrix mixed = matrix(weights, outputs_, inputs_);
    mixed.transposed = true;
    std::byte* written = keeps_all() ? input_gradient : engine_.scratch(kept_bytes());
    engine_.multiply({.a = mixed,
                      .b = samples(output_gradient, outputs_),
                      .to = samples(written, inputs_),
                      .adds = adds && keeps_all(),
                      .count = samples_});
    if (keeps_all()) return;
    launch_items(engine_, static_cast<int>(shape_.input.elements()),
                 Spread<float>{floats(written), floats(input_gradient), shape_.input, kept_,
                               shape_.stride_height, shape_.stride_width, adds});
  }

 private:
  bool keeps_all() const { return kept_ == shape_.input; }
  std::size_t kept_bytes() const { return std::size_t(kept_.elements()) * sizeof(float); }

  const std::byte* subsample(const std::byte* input, std::size_t bytes) {
    std::byte* kept = engine_.scratch(bytes);
    subsample(input, kept);
    return kept;
  }
  void subsample(const std::byte* input, const std::byte* kept) {
    launch_items(engine_, static_cast<int>(kept_.elements()),
                 Subsample<float>{floats(input), floats(kept), shape_.input, kept_,
                                  shape_.stride_height, shape_.stride_width});
  }

  // Products take what they only read as what they could write to.
  static Matrix matrix(const std::byte* data, int rows, int columns) {
    return {.data = const_cast<std::byte*>(data),
            .dtype = DType::kFloat32,
            .rows = rows,
            .columns = columns,
            .stride = columns};
  }
  /// From sample `first` on.
  Matrix samples(const std::byte* data, int channels, int first = 0) const {
    const std::int64_t step = std::int64_t(channels) * pixels_;
    Matrix result = matrix(data + first * step * std::int64_t(sizeof(float)), channels, pixels_);
    result.step = step;
    return result;
  }

  Engine& engine_;
  ConvolutionShape shape_;
  Geometry kept_;  ///< of the input's pixels that are read
  int inputs_, outputs_, pixels_, samples_;
};

}  // namespace

bool is_pointwise(const ConvolutionShape& s) {
  return s.kernel_height == 1 && s.kernel_width == 1 && s.padding_height == 0 &&
         s.padding_width == 0 && s.groups == 1 && s.dtype == DType::kFloat32 &&
         s.input.layout == Layout::kPlain;
}

std::shared_ptr<Convolution> pointwise_convolution(Engine& engine, const ConvolutionShape& shape) {
  return std::make_shared<PointwiseConvolution>(engine, shape);
}

}  // namespace tandem::cuda
