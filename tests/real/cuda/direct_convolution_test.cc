#include "real/cuda/direct_convolution.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/real/cuda/convolution_results.h"

namespace tandem::cuda {
namespace {

struct Case {
  int batch, inputs, outputs, height, width, padding_height, padding_width;
};

ConvolutionShape shape_of(const Case& c) {
  return {.input = {c.batch, c.inputs, c.height, c.width},
          .output = {c.batch, c.outputs, c.height + 2 * c.padding_height - 4,
                     c.width + 2 * c.padding_width - 4},
          .kernel_height = 5,
          .kernel_width = 5,
          .stride_height = 1,
          .stride_width = 1,
          .padding_height = c.padding_height,
          .padding_width = c.padding_width,
          .groups = 1,
          .dtype = DType::kFloat32};
}

TEST(DirectConvolution, IsAConvolution) {
  const std::unique_ptr<Engine> engine = make_engine(0, Arithmetic::kFloat32);
  engine->bind_thread();
  for (const Case& c : {Case{1, 1, 1, 5, 5, 0, 0},
                        {2, 3, 10, 12, 9, 0, 0},
                        {3, 10, 5, 8, 8, 2, 2},
                        {150, 1, 3, 6, 7, 1, 0},
                        {2, 4, 4, 7, 6, 4, 0},
                        {1, 2, 6, 9, 5, 0, 5}}) {
    const ConvolutionShape shape = shape_of(c);
    ASSERT_TRUE(is_direct(shape));
    expect_convolves(*engine, *direct_convolution(*engine, shape), shape);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DirectConvolution, IsOfFewChannelsAlone) {
  const auto with = [](const auto& change) {
    ConvolutionShape shape = shape_of({1, 32, 32, 8, 8, 0, 0});
    change(shape);
    return is_direct(shape);
  };
  using Shape = ConvolutionShape;
  EXPECT_TRUE(with([](Shape&) {}));
  EXPECT_FALSE(with([](Shape& s) { s.output.channels = 33; }));
  EXPECT_FALSE(with([](Shape& s) { s.input.channels = 33; }));
  EXPECT_FALSE(with([](Shape& s) { s.kernel_height = 3; }));
  EXPECT_FALSE(with([](Shape& s) { s.kernel_width = 3; }));
  EXPECT_FALSE(with([](Shape& s) { s.stride_width = 2; }));
  EXPECT_FALSE(with([](Shape& s) { s.groups = 2; }));
  EXPECT_FALSE(with([](Shape& s) { s.dtype = DType::kBFloat16; }));
  EXPECT_FALSE(with([](Shape& s) { s.input.layout = Layout::kChannelsLast; }));
}

}  // namespace
}  // namespace tandem::cuda
