#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {
namespace {

/// The pieces of the figures 5, 6, 7 and 10 of the paper. Each block joins branches that all read
/// the layer before the block.
class Inception {
 public:
  explicit Inception(const Target& target) : net_(target.name, target.input) {}

  LayerGraph build(int classes) {
    stem();
    block_a("mixed0", 32);
    block_a("mixed1", 64);
    block_a("mixed2", 64);
    reduce_a("mixed3");
    block_b("mixed4", 128);
    block_b("mixed5", 160);
    block_b("mixed6", 160);
    block_b("mixed7", 192);
    reduce_b("mixed8");
    block_c("mixed9");
    block_c("mixed10");
    net_.simple("pool", LayerKind::kGlobalAveragePool);
    net_.dropout("drop", 0.5);
    net_.linear("fc", classes);
    return net_.finish();
  }

 private:
  int convolution(const std::string& name, int outputs, Window window) {
    return net_.convolution_norm(name, outputs, window, LayerKind::kRelu, 1, 1e-3);
  }
  static Window row(int kernel) { return {Extent{1, kernel}, 1, Extent{0, kernel / 2}}; }
  static Window column(int kernel) { return {Extent{kernel, 1}, 1, Extent{kernel / 2, 0}}; }

  int pooled(const std::string& name, int input, int outputs) {
    net_.at(input).average_pool(name + ".pool", Window(3, 1, 1));
    return convolution(name + ".conv", outputs, Window(1));
  }

  void stem() {
    convolution("conv1", 32, Window(3, 2));
    convolution("conv2", 32, Window(3));
    convolution("conv3", 64, Window(3, 1, 1));
    net_.max_pool("pool1", Window(3, 2));
    convolution("conv4", 80, Window(1));
    convolution("conv5", 192, Window(3));
    net_.max_pool("pool2", Window(3, 2));
  }

  // Figure 5: the 5x5 branch is kept, the double branch has two 3x3.
  void block_a(const std::string& name, int pool_outputs) {
    const int input = net_.last();
    const int single = convolution(name + ".b1", 64, Window(1));
    net_.at(input);
    convolution(name + ".b5_1", 48, Window(1));
    const int five = convolution(name + ".b5_2", 64, Window(5, 1, 2));
    net_.at(input);
    convolution(name + ".b3_1", 64, Window(1));
    convolution(name + ".b3_2", 96, Window(3, 1, 1));
    const int three = convolution(name + ".b3_3", 96, Window(3, 1, 1));
    const int pool = pooled(name + ".bp", input, pool_outputs);
    net_.concat(name, {single, five, three, pool});
  }

  // Figure 10: halves the grid, 35 to 17.
  void reduce_a(const std::string& name) {
    const int input = net_.last();
    const int single = convolution(name + ".b3", 384, Window(3, 2));
    net_.at(input);
    convolution(name + ".b33_1", 64, Window(1));
    convolution(name + ".b33_2", 96, Window(3, 1, 1));
    const int twice = convolution(name + ".b33_3", 96, Window(3, 2));
    const int pool = net_.at(input).max_pool(name + ".pool", Window(3, 2));
    net_.concat(name, {single, twice, pool});
  }

  // Figure 6 with n = 7: 7x7 convolutions as a row and a column.
  void block_b(const std::string& name, int channels) {
    const int input = net_.last();
    const int single = convolution(name + ".b1", 192, Window(1));
    net_.at(input);
    convolution(name + ".b7_1", channels, Window(1));
    convolution(name + ".b7_2", channels, row(7));
    const int seven = convolution(name + ".b7_3", 192, column(7));
    net_.at(input);
    convolution(name + ".b77_1", channels, Window(1));
    convolution(name + ".b77_2", channels, column(7));
    convolution(name + ".b77_3", channels, row(7));
    convolution(name + ".b77_4", channels, column(7));
    const int twice = convolution(name + ".b77_5", 192, row(7));
    const int pool = pooled(name + ".bp", input, 192);
    net_.concat(name, {single, seven, twice, pool});
  }

  // Halves the grid, 17 to 8.
  void reduce_b(const std::string& name) {
    const int input = net_.last();
    convolution(name + ".b3_1", 192, Window(1));
    const int three = convolution(name + ".b3_2", 320, Window(3, 2));
    net_.at(input);
    convolution(name + ".b7_1", 192, Window(1));
    convolution(name + ".b7_2", 192, row(7));
    convolution(name + ".b7_3", 192, column(7));
    const int seven = convolution(name + ".b7_4", 192, Window(3, 2));
    const int pool = net_.at(input).max_pool(name + ".pool", Window(3, 2));
    net_.concat(name, {three, seven, pool});
  }

  // Figure 7: widened filter banks, the last 3x3 split side by side into a row and a column.
  void block_c(const std::string& name) {
    const int input = net_.last();
    const int single = convolution(name + ".b1", 320, Window(1));
    net_.at(input);
    const int narrow = convolution(name + ".b3_1", 384, Window(1));
    const int left = convolution(name + ".b3_2a", 384, row(3));
    net_.at(narrow);
    const int right = convolution(name + ".b3_2b", 384, column(3));
    net_.at(input);
    convolution(name + ".b33_1", 448, Window(1));
    const int wide = convolution(name + ".b33_2", 384, Window(3, 1, 1));
    const int wide_left = convolution(name + ".b33_3a", 384, row(3));
    net_.at(wide);
    const int wide_right = convolution(name + ".b33_3b", 384, column(3));
    const int pool = pooled(name + ".bp", input, 192);
    net_.concat(name, {single, left, right, wide_left, wide_right, pool});
  }

  Builder net_;
};

}  // namespace

LayerGraph inception_v3(const Target& target) {
  return Inception(target).build(target.classes);
}

}  // namespace tandem::zoo
