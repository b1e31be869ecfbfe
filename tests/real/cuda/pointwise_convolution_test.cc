#include "real/cuda/pointwise_convolution.h"

#include <gtest/gtest.h>

#include "tests/real/cuda/convolution_results.h"

namespace tandem::cuda {
namespace {

struct Pointwise {
  int batch, inputs, outputs, height, width, stride_height, stride_width;
};

TEST(PointwiseConvolution, IsAConvolution) {
  const std::unique_ptr<Engine> engine = make_engine(0, Arithmetic::kFloat32);
  engine->bind_thread();
  for (const Pointwise& c : {Pointwise{1, 3, 4, 5, 4, 1, 1},
                             {3, 8, 5, 2, 3, 1, 1},
                             {16, 2, 3, 4, 4, 1, 1},
                             {32, 4, 2, 3, 3, 1, 1},
                             {24, 3, 2, 4, 6, 2, 2},
                             {2, 3, 2, 7, 5, 2, 3}}) {
    ConvolutionShape shape{.input = {c.batch, c.inputs, c.height, c.width},
                           .output = {c.batch, c.outputs, (c.height - 1) / c.stride_height + 1,
                                      (c.width - 1) / c.stride_width + 1},
                           .kernel_height = 1,
                           .kernel_width = 1,
                           .stride_height = c.stride_height,
                           .stride_width = c.stride_width,
                           .padding_height = 0,
                           .padding_width = 0,
                           .groups = 1,
                           .dtype = DType::kFloat32};
    ASSERT_TRUE(is_pointwise(shape));
    expect_convolves(*engine, *pointwise_convolution(*engine, shape), shape);
    if (testing::Test::HasFatalFailure()) return;
    shape.kernel_width = 3;
    EXPECT_FALSE(is_pointwise(shape));
  }
}

}  // namespace
}  // namespace tandem::cuda
