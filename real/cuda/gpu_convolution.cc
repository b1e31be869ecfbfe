#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "real/cuda/direct_convolution.h"
#include "real/cuda/gpu_engine.h"
#include "real/cuda/pointwise_convolution.h"

namespace tandem::cuda {
namespace {

using TensorDesc = Owned<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDesc = Owned<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvolutionDesc = Owned<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;

cudnnDataType_t cudnn_type(DType dtype) {
  if (dtype == DType::kFloat16) return CUDNN_DATA_HALF;
  return dtype == DType::kBFloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

cudnnTensorFormat_t format(Layout layout) {
  return layout == Layout::kChannelsLast ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

TensorDesc describe_tensor(const Geometry& g, DType dtype) {
  cudnnTensorDescriptor_t description = nullptr;
  check(cudnnCreateTensorDescriptor(&description), "cudnnCreateTensorDescriptor");
  TensorDesc owned(description);
  check(cudnnSetTensor4dDescriptor(description, format(g.layout), cudnn_type(dtype), g.batch,
                                   g.channels, g.height, g.width),
        "cudnnSetTensor4dDescriptor");
  return owned;
}

FilterDesc describe_filter(const Geometry& g, DType dtype) {
  cudnnFilterDescriptor_t description = nullptr;
  check(cudnnCreateFilterDescriptor(&description), "cudnnCreateFilterDescriptor");
  FilterDesc owned(description);
  check(cudnnSetFilter4dDescriptor(description, cudnn_type(dtype), format(g.layout), g.batch,
                                   g.channels, g.height, g.width),
        "cudnnSetFilter4dDescriptor");
  return owned;
}

/// What convolutions of the arithmetic may do with their factors: with 32 bits, whether round them.
cudnnMathType_t math_type(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFloat32) return CUDNN_FMA_MATH;
  return arithmetic == Arithmetic::kTf32 ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
}

/// One for each pass, as each has an algorithm with a way of multiplying of its own.
ConvolutionDesc describe(const ConvolutionShape& s, Arithmetic arithmetic) {
  cudnnConvolutionDescriptor_t description = nullptr;
  check(cudnnCreateConvolutionDescriptor(&description), "cudnnCreateConvolutionDescriptor");
  ConvolutionDesc owned(description);
  check(cudnnSetConvolution2dDescriptor(description, s.padding_height, s.padding_width,
                                        s.stride_height, s.stride_width, 1, 1,
                                        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
        "cudnnSetConvolution2dDescriptor");
  check(cudnnSetConvolutionGroupCount(description, s.groups), "cudnnSetConvolutionGroupCount");
  check(cudnnSetConvolutionMathType(description, math_type(arithmetic)),
        "cudnnSetConvolutionMathType");
  return owned;
}

/// The first of cuDNN's suggestions, fastest first, that gives the same bits every time. It is not
/// timed: what wins a race differs from run to run, and so would the bits. The description takes
/// over its way of multiplying. Where the `preferred` algorithm is among them it is that one.
template <typename Suggestion, typename Algorithm>
auto choose(const std::vector<Suggestion>& suggestions, const char* call, const GpuEngine& engine,
            const ConvolutionDesc& description, std::optional<Algorithm> preferred) {
  const Arithmetic arithmetic = engine.arithmetic();
  const auto fits = [&](const Suggestion& suggestion) {
    const bool multiplies_so = arithmetic != Arithmetic::kFloat32 ||
                               suggestion.mathType == CUDNN_FMA_MATH ||
                               suggestion.mathType == CUDNN_DEFAULT_MATH;
    return suggestion.status == CUDNN_STATUS_SUCCESS && multiplies_so &&
           suggestion.determinism == CUDNN_DETERMINISTIC &&
           suggestion.memory <= engine.most_workspace();
  };
  auto found = std::ranges::find_if(suggestions, [&](const Suggestion& suggestion) {
    return suggestion.algo == preferred && fits(suggestion);
  });
  if (found == suggestions.end()) found = std::ranges::find_if(suggestions, fits);
  if (found == suggestions.end()) {
    throw CallFailed(
        fmt::format("{}: none of {} algorithms is deterministic and fits in {} MiB of workspace",
                    call, suggestions.size(), engine.most_workspace() >> 20U));
  }
  // DEFAULT_MATH would let float32 be rounded.
  const cudnnMathType_t math =
      arithmetic == Arithmetic::kFloat32 ? CUDNN_FMA_MATH : found->mathType;
  check(cudnnSetConvolutionMathType(description.get(), math), "cudnnSetConvolutionMathType");
  return found->algo;
}

/// An algorithm of cuDNN's and what it needs.
template <typename Algorithm>
struct Choice {
  Algorithm algorithm;
  std::size_t workspace_bytes;
};

/// Each pass is made ready when it is first run: a first layer has no backward_input().
class GpuConvolution final : public Convolution {
 public:
  GpuConvolution(GpuEngine& engine, const ConvolutionShape& shape)
      : engine_(engine),
        input_(describe_tensor(shape.input, shape.dtype)),
        output_(describe_tensor(shape.output, shape.dtype)),
        weights_(describe_filter(shape.weights(), shape.dtype)),
        forward_(describe(shape, engine.arithmetic())),
        backward_weights_(describe(shape, engine.arithmetic())),
        backward_input_(describe(shape, engine.arithmetic())),
        prefers_winograd_(engine.arithmetic() == Arithmetic::kFloat32 && is_by_three(shape)) {}

  void forward(const std::byte* input, const std::byte* weights, std::byte* output) override {
    if (!forward_choice_) choose_forward();
    const auto& [algorithm, bytes] = *forward_choice_;
    check(cudnnConvolutionForward(engine_.cudnn(), &kOne, input_.get(), input, weights_.get(),
                                  weights, forward_.get(), algorithm, engine_.workspace(bytes),
                                  bytes, &kZero, output_.get(), output),
          "cudnnConvolutionForward");
  }

  void backward_weights(const std::byte* input, const std::byte* output_gradient,
                        std::byte* weight_gradient) override {
    if (!backward_weights_choice_) choose_backward_weights();
    const auto& [algorithm, bytes] = *backward_weights_choice_;
    check(cudnnConvolutionBackwardFilter(engine_.cudnn(), &kOne, input_.get(), input, output_.get(),
                                         output_gradient, backward_weights_.get(), algorithm,
                                         engine_.workspace(bytes), bytes, &kZero, weights_.get(),
                                         weight_gradient),
          "cudnnConvolutionBackwardFilter");
  }

  void backward_input(const std::byte* weights, const std::byte* output_gradient,
                      std::byte* input_gradient, bool adds) override {
    if (!backward_input_choice_) choose_backward_input();
    const auto& [algorithm, bytes] = *backward_input_choice_;
    check(cudnnConvolutionBackwardData(engine_.cudnn(), &kOne, weights_.get(), weights,
                                       output_.get(), output_gradient, backward_input_.get(),
                                       algorithm, engine_.workspace(bytes), bytes,
                                       adds ? &kOne : &kZero, input_.get(), input_gradient),
          "cudnnConvolutionBackwardData");
  }

 private:
  // Winograd's algorithm is twice as fast as what cuDNN suggests first for float32 on an H200.
  static bool is_by_three(const ConvolutionShape& s) {
    return s.kernel_height == 3 && s.kernel_width == 3 && s.stride_height == 1 &&
           s.stride_width == 1 && s.groups == 1;
  }
  template <typename Algorithm>
  std::optional<Algorithm> preferred(Algorithm winograd) const {
    return prefers_winograd_ ? std::optional(winograd) : std::nullopt;
  }

  static constexpr float kOne = 1, kZero = 0;
  static constexpr int kMostSuggestions = 16;

  void choose_forward() {
    std::vector<cudnnConvolutionFwdAlgoPerf_t> all(kMostSuggestions);
    int count = 0;
    check(cudnnGetConvolutionForwardAlgorithm_v7(engine_.cudnn(), input_.get(), weights_.get(),
                                                 forward_.get(), output_.get(), kMostSuggestions,
                                                 &count, all.data()),
          "cudnnGetConvolutionForwardAlgorithm_v7");
    all.resize(count);
    const auto algorithm = choose(all, "cudnnGetConvolutionForwardAlgorithm_v7", engine_, forward_,
                                  preferred(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED));
    std::size_t bytes = 0;
    check(cudnnGetConvolutionForwardWorkspaceSize(engine_.cudnn(), input_.get(), weights_.get(),
                                                  forward_.get(), output_.get(), algorithm, &bytes),
          "cudnnGetConvolutionForwardWorkspaceSize");
    forward_choice_ = {algorithm, bytes};
  }

  void choose_backward_weights() {
    std::vector<cudnnConvolutionBwdFilterAlgoPerf_t> all(kMostSuggestions);
    int count = 0;
    check(cudnnGetConvolutionBackwardFilterAlgorithm_v7(
              engine_.cudnn(), input_.get(), output_.get(), backward_weights_.get(), weights_.get(),
              kMostSuggestions, &count, all.data()),
          "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
    all.resize(count);
    const auto algorithm =
        choose(all, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", engine_, backward_weights_,
               preferred(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED));
    std::size_t bytes = 0;
    check(cudnnGetConvolutionBackwardFilterWorkspaceSize(engine_.cudnn(), input_.get(),
                                                         output_.get(), backward_weights_.get(),
                                                         weights_.get(), algorithm, &bytes),
          "cudnnGetConvolutionBackwardFilterWorkspaceSize");
    backward_weights_choice_ = {algorithm, bytes};
  }

  void choose_backward_input() {
    std::vector<cudnnConvolutionBwdDataAlgoPerf_t> all(kMostSuggestions);
    int count = 0;
    check(cudnnGetConvolutionBackwardDataAlgorithm_v7(
              engine_.cudnn(), weights_.get(), output_.get(), backward_input_.get(), input_.get(),
              kMostSuggestions, &count, all.data()),
          "cudnnGetConvolutionBackwardDataAlgorithm_v7");
    all.resize(count);
    const auto algorithm =
        choose(all, "cudnnGetConvolutionBackwardDataAlgorithm_v7", engine_, backward_input_,
               preferred(CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED));
    std::size_t bytes = 0;
    check(cudnnGetConvolutionBackwardDataWorkspaceSize(engine_.cudnn(), weights_.get(),
                                                       output_.get(), backward_input_.get(),
                                                       input_.get(), algorithm, &bytes),
          "cudnnGetConvolutionBackwardDataWorkspaceSize");
    backward_input_choice_ = {algorithm, bytes};
  }

  GpuEngine& engine_;
  TensorDesc input_, output_;
  FilterDesc weights_;
  ConvolutionDesc forward_, backward_weights_, backward_input_;
  bool prefers_winograd_;
  std::optional<Choice<cudnnConvolutionFwdAlgo_t>> forward_choice_;
  std::optional<Choice<cudnnConvolutionBwdFilterAlgo_t>> backward_weights_choice_;
  std::optional<Choice<cudnnConvolutionBwdDataAlgo_t>> backward_input_choice_;
};

}  // namespace

std::shared_ptr<Convolution> GpuEngine::convolution(const ConvolutionShape& shape) {
  const auto known = std::ranges::find(convolutions_, shape, &KnownConvolution::shape);
  if (known != convolutions_.end()) return known->convolution;
  std::shared_ptr<Convolution> made;
  if (arithmetic_ == Arithmetic::kFloat32 && is_pointwise(shape)) {
    made = pointwise_convolution(*this, shape);
  } else if (arithmetic_ == Arithmetic::kFloat32 && is_direct(shape)) {
    made = direct_convolution(*this, shape);
  } else {
    made = std::make_shared<GpuConvolution>(*this, shape);
  }
  convolutions_.push_back({shape, made});
  return made;
}

}  // namespace tandem::cuda
