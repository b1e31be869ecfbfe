#include "real/cuda/direct_convolution.h"

#include <algorithm>

#include "real/cuda/floats.h"
#include "real/cuda/kernels/works.h"

namespace tandem::cuda {
namespace {

constexpr int kSide = 5;           ///< of kernels
constexpr int kMostChannels = 32;  ///< cuDNN's products are tiles of 32 and more

/// As many groups keep a GPU busy; with more of them each adds up less, and most of its time goes
/// on the sums of its threads.
constexpr int kGroups = 320;
constexpr int kThreads = 256;  ///< of a group, as in launch.cuh

/// Such that with `pairs` groups a chunk there are about so many.
Split split_for_groups(int strips, int pairs) {
  const int chunks = std::max(kGroups / pairs, 1);
  const int turns = (strips - 1) / (chunks * kThreads) + 1;
  return {.total = strips, .length = turns * kThreads};
}

class DirectConvolution final : public Convolution {
 public:
  DirectConvolution(Engine& engine, const ConvolutionShape& shape)
      : engine_(engine), shape_(shape) {}

  void forward(const std::byte* input, const std::byte* weights, std::byte* output) override {
    const ConvolveDirectly<kSide, false> work{.from = floats(input),
                                              .weights = floats(weights),
                                              .to = floats(output),
                                              .of_from = shape_.input,
                                              .of_to = shape_.output,
                                              .padding_height = shape_.padding_height,
                                              .padding_width = shape_.padding_width,
                                              .adds = false};
    launch_items(engine_, work.items(), work);
  }

  void backward_weights(const std::byte* input, const std::byte* output_gradient,
                        std::byte* weight_gradient) override {
    DirectWeightGradient<kSide> work{.input = floats(input),
                                     .output_gradient = floats(output_gradient),
                                     .of_input = shape_.input,
                                     .of_output = shape_.output,
                                     .padding_height = shape_.padding_height,
                                     .padding_width = shape_.padding_width};
    work.strips = split_for_groups(work.all_strips(), work.pairs());
    const int weights = static_cast<int>(shape_.weights().elements());
    const int chunks = work.strips.chunks();
    work.parts = floats(engine_.scratch(std::size_t(chunks) * weights * sizeof(float)));
    launch_groups(engine_, work.groups(), work);
    launch_items(engine_, weights,
                 SumOfArrays<float>{work.parts, weights, chunks, floats(weight_gradient)});
  }

  void backward_input(const std::byte* weights, const std::byte* output_gradient,
                      std::byte* input_gradient, bool adds) override {
    const ConvolveDirectly<kSide, true> work{.from = floats(output_gradient),
                                             .weights = floats(weights),
                                             .to = floats(input_gradient),
                                             .of_from = shape_.output,
                                             .of_to = shape_.input,
                                             .padding_height = kSide - 1 - shape_.padding_height,
                                             .padding_width = kSide - 1 - shape_.padding_width,
                                             .adds = adds};
    launch_items(engine_, work.items(), work);
  }

 private:
  Engine& engine_;
  ConvolutionShape shape_;
};

}  // namespace

bool is_direct(const ConvolutionShape& s) {
  return s.kernel_height == kSide && s.kernel_width == kSide && s.stride_height == 1 &&
         s.stride_width == 1 && s.groups == 1 &&
         std::max(s.input.channels, s.output.channels) <= kMostChannels &&
         s.dtype == DType::kFloat32 && s.input.layout == Layout::kPlain;
}

std::shared_ptr<Convolution> direct_convolution(Engine& engine, const ConvolutionShape& shape) {
  return std::make_shared<DirectConvolution>(engine, shape);
}

}  // namespace tandem::cuda
