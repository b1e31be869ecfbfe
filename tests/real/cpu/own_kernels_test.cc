#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/model/zoo.h"
#include "real/cpu/layers/depthwise_gradient.h"
#include "real/cpu/layers/max_pooling.h"
#include "real/cpu/layers/thin_products.h"
#include "real/cpu/layout.h"
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

std::vector<float> chirps(std::size_t count, double phase) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = chirp(i, phase);
  return values;
}

/// Rows, inputs and outputs that fill no tile, and a multiple of vectors of inputs.
constexpr thin::Shape kShapes[] = {
    {1, 4096, 257}, {8, 2064, 513}, {13, 1040, 1021}, {32, 1024, 1024}};

class ThinProducts : public testing::TestWithParam<thin::Shape> {
 protected:
  void SetUp() override {
    if (!thin::has_products(GetParam())) GTEST_SKIP() << "not on this processor";
  }
};

// Sums of up to 4096 products of numbers up to 1.
TEST_P(ThinProducts, MultiplyAsByHand) {
  const thin::Shape& s = GetParam();
  const auto source = chirps(s.rows * s.inputs, 0.1), weights = chirps(s.outputs * s.inputs, 0.2);
  const auto bias = chirps(s.outputs, 0.3);
  std::vector<float> made(s.rows * s.outputs);
  thin::multiply(s, source.data(), weights.data(), bias.data(), made.data());
  for (std::size_t row = 0; row < s.rows; ++row) {
    for (std::size_t o = 0; o < s.outputs; ++o) {
      double sum = bias[o];
      for (std::size_t i = 0; i < s.inputs; ++i) {
        sum += double(source[row * s.inputs + i]) * weights[o * s.inputs + i];
      }
      ASSERT_NEAR(made[row * s.outputs + o], sum, 2e-4) << "row " << row << ", output " << o;
    }
  }
}

TEST_P(ThinProducts, MultiplyRowsAsByHand) {
  const thin::Shape& s = GetParam();
  const auto source = chirps(s.rows * s.inputs, 0.1), gradient = chirps(s.rows * s.outputs, 0.2);
  std::vector<float> made(s.outputs * s.inputs), bias(s.outputs);
  thin::multiply_rows(s, source.data(), gradient.data(), made.data(), bias.data());
  for (std::size_t o = 0; o < s.outputs; ++o) {
    double bias_sum = 0;
    for (std::size_t row = 0; row < s.rows; ++row) bias_sum += gradient[row * s.outputs + o];
    ASSERT_NEAR(bias[o], bias_sum, 1e-5) << "output " << o;
    for (std::size_t i = 0; i < s.inputs; ++i) {
      double sum = 0;
      for (std::size_t row = 0; row < s.rows; ++row) {
        sum += double(gradient[row * s.outputs + o]) * source[row * s.inputs + i];
      }
      ASSERT_NEAR(made[o * s.inputs + i], sum, 1e-5) << "output " << o << ", input " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, ThinProducts, testing::ValuesIn(kShapes), [](const auto& info) {
  return std::to_string(info.param.rows) + "_rows";
});

struct DepthwiseCase {
  Shape source, output;
  int kernel, stride, padding;
};

/// Of channels {16, 16, ...} within blocks, the last of which is not full.
std::size_t blocked(const Shape& shape, int sample, int channel, int y, int x) {
  const int blocks = (shape.channels + 15) / 16;
  const std::size_t block = std::size_t(sample) * blocks + channel / 16;
  return ((block * shape.height + y) * shape.width + x) * 16 + channel % 16;
}

class Depthwise : public testing::TestWithParam<DepthwiseCase> {};

TEST_P(Depthwise, GradientIsAsByHand) {
  constexpr int kBatch = 3;
  const DepthwiseCase& c = GetParam();
  const LayerOptions window{.kernel_height = c.kernel,
                            .kernel_width = c.kernel,
                            .stride_height = c.stride,
                            .stride_width = c.stride,
                            .padding_height = c.padding,
                            .padding_width = c.padding};
  const auto elements = [](const Shape& s) {
    return std::size_t(kBatch) * ((s.channels + 15) / 16 * 16) * s.height * s.width;
  };
  const auto source = chirps(elements(c.source), 0.1), gradient = chirps(elements(c.output), 0.2);
  const int channels = c.source.channels;
  std::vector<float> made(std::size_t(channels) * c.kernel * c.kernel);
  DepthwiseGradient{kBatch, channels, c.source, c.output, window}(source.data(), gradient.data(),
                                                                  made.data());
  std::size_t at = 0;
  for (int channel = 0; channel < channels; ++channel) {
    for (int ky = 0; ky < c.kernel; ++ky) {
      for (int kx = 0; kx < c.kernel; ++kx, ++at) {
        double sum = 0;
        for (int sample = 0; sample < kBatch; ++sample) {
          for (int y = 0; y < c.output.height; ++y) {
            for (int x = 0; x < c.output.width; ++x) {
              const int sy = y * c.stride - c.padding + ky, sx = x * c.stride - c.padding + kx;
              if (sy < 0 || sy >= c.source.height || sx < 0 || sx >= c.source.width) continue;
              sum += double(gradient[blocked(c.output, sample, channel, y, x)]) *
                     source[blocked(c.source, sample, channel, sy, sx)];
            }
          }
        }
        ASSERT_NEAR(made[at], sum, 1e-5) << "channel " << channel << " at " << ky << ", " << kx;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Depthwise,
                         testing::Values(DepthwiseCase{{24, 1, 1}, {24, 1, 1}, 3, 1, 1},
                                         DepthwiseCase{{32, 2, 2}, {32, 2, 2}, 3, 1, 1},
                                         DepthwiseCase{{16, 2, 2}, {16, 1, 1}, 3, 2, 1},
                                         DepthwiseCase{{40, 5, 4}, {40, 3, 2}, 3, 2, 1},
                                         DepthwiseCase{{16, 6, 7}, {16, 2, 3}, 5, 1, 0}),
                         [](const auto& info) {
                           return "of_" + std::to_string(info.param.source.height) + "x" +
                                  std::to_string(info.param.source.width) + "_by_" +
                                  std::to_string(info.param.kernel) + "_stride_" +
                                  std::to_string(info.param.stride);
                         });

struct MaxPoolingCase {
  int lanes;  // full vectors, parts of them, both
  Shape source, output;
  LayerOptions window;
};

LayerOptions window(int height, int width, int stride_height, int stride_width, int padding_height,
                    int padding_width) {
  return {.kernel_height = height,
          .kernel_width = width,
          .stride_height = stride_height,
          .stride_width = stride_width,
          .padding_height = padding_height,
          .padding_width = padding_width};
}

class MaxPoolingByHand : public testing::TestWithParam<MaxPoolingCase> {
 protected:
  static constexpr int kImages = 3;

  std::size_t elements(const Shape& shape) const {
    return std::size_t(kImages) * shape.height * shape.width * GetParam().lanes;
  }
  std::size_t at(const Shape& shape, int image, int y, int x, int lane) const {
    return ((std::size_t(image) * shape.height + y) * shape.width + x) * GetParam().lanes + lane;
  }
  MaxPooling pool() const {
    const MaxPoolingCase& c = GetParam();
    return {kImages, c.lanes, c.source, c.output, c.window};
  }
  /// Calls visit(output element, first source element of the largest value in its window).
  template <typename Visit>
  void each_maximum(const std::vector<float>& source, const Visit& visit) const {
    const MaxPoolingCase& c = GetParam();
    const LayerOptions& o = c.window;
    for (int image = 0; image < kImages; ++image) {
      for (int y = 0; y < c.output.height; ++y) {
        for (int x = 0; x < c.output.width; ++x) {
          for (int lane = 0; lane < c.lanes; ++lane) {
            std::size_t best = source.size();
            const int top = y * o.stride_height - o.padding_height;
            const int left = x * o.stride_width - o.padding_width;
            for (int sy = top; sy < top + o.kernel_height; ++sy) {
              for (int sx = left; sx < left + o.kernel_width; ++sx) {
                if (sy < 0 || sy >= c.source.height || sx < 0 || sx >= c.source.width) continue;
                const std::size_t here = at(c.source, image, sy, sx, lane);
                if (best == source.size() || source[here] > source[best]) best = here;
              }
            }
            visit(at(c.output, image, y, x, lane), best);
          }
        }
      }
    }
  }
};

// Negative ones among them, and equal ones, as after a ReLU.
TEST_P(MaxPoolingByHand, FindsTheFirstOfTheLargestAndPassesItsGradient) {
  const MaxPoolingCase& c = GetParam();
  std::vector<float> source = chirps(elements(c.source), 0.1);
  for (std::size_t i = 0; i < source.size(); i += 3) source[i] = 0.25F;
  const std::vector<float> gradient = chirps(elements(c.output), 0.2);
  std::vector<float> maxima(elements(c.output), 9), passed(elements(c.source), 9);
  std::vector<std::uint8_t> places(maxima.size());
  pool().forward(source.data(), maxima.data(), places.data());
  pool().backward(gradient.data(), places.data(), passed.data());

  std::vector<double> expected(source.size());
  each_maximum(source, [&](std::size_t out, std::size_t best) {
    EXPECT_EQ(maxima[out], source[best]) << "output " << out;
    expected[best] += gradient[out];
  });
  for (std::size_t i = 0; i < passed.size(); ++i) {
    ASSERT_NEAR(passed[i], expected[i], 1e-6) << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, MaxPoolingByHand,
    testing::Values(MaxPoolingCase{10, {0, 28, 28}, {0, 14, 14}, window(2, 2, 2, 2, 0, 0)},
                    MaxPoolingCase{8, {0, 9, 7}, {0, 4, 3}, window(3, 3, 2, 2, 0, 0)},
                    MaxPoolingCase{16, {0, 8, 8}, {0, 4, 4}, window(3, 3, 2, 2, 1, 1)},
                    MaxPoolingCase{23, {0, 6, 5}, {0, 4, 3}, window(3, 3, 2, 2, 1, 1)},
                    MaxPoolingCase{9, {0, 7, 6}, {0, 4, 5}, window(3, 2, 2, 1, 1, 0)},
                    MaxPoolingCase{2, {0, 20, 18}, {0, 5, 3}, window(16, 16, 1, 1, 0, 0)},
                    MaxPoolingCase{1, {0, 5, 5}, {0, 3, 3}, window(2, 2, 2, 2, 0, 0)}),
    [](const auto& info) {
      return std::to_string(info.param.lanes) + "_lanes_of_" +
             std::to_string(info.param.source.height) + "x" +
             std::to_string(info.param.source.width);
    });

// Where a network has diverged, that is seen.
TEST(MaxPooling, IsNoNumberWhereNothingIs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> source = {nan, nan, nan, nan};
  float maximum = 0;
  std::uint8_t place = 9;
  MaxPooling{1, 1, {1, 2, 2}, {1, 1, 1}, {.kernel_height = 2, .kernel_width = 2}}.forward(
      source.data(), &maximum, &place);
  EXPECT_TRUE(std::isnan(maximum));
  EXPECT_EQ(place, 0);
}

TEST(Layout, ChannelsGoLastWhereBlocksWouldBePadded) {
  EXPECT_TRUE(channels_go_last(build_model("mnist_cnn")));
  EXPECT_TRUE(channels_go_last(build_model("cifar10_cnn")));
  EXPECT_FALSE(channels_go_last(build_model("vgg16")));
  EXPECT_FALSE(channels_go_last(build_model("resnet50")));
  EXPECT_FALSE(channels_go_last(build_model("mobilenet_v2")));
}

}  // namespace
}  // namespace tandem
