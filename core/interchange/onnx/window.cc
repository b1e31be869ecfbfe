#include "core/interchange/onnx/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::onnx {
namespace {

/// The numbers for height and width of an attribute, or `missing` for both.
std::array<int, 2> read_pair(const Node& node, const char* attribute, int least, int missing) {
  const std::vector<std::int64_t> numbers = node.integers(attribute);
  if (numbers.empty()) return {missing, missing};
  if (numbers.size() != 2)
    Translation::fail(node, fmt::format("{} has {} numbers; tandem's windows have a height and a "
                                        "width",
                                        attribute, numbers.size()));
  return {read_int(node, attribute, numbers[0], least),
          read_int(node, attribute, numbers[1], least)};
}

int alike(const Node& node, std::int64_t before, std::int64_t behind) {
  if (before != behind)
    Translation::fail(node, fmt::format("pads {} on one side and {} on the other; tandem pads both "
                                        "alike",
                                        before, behind));
  return read_int(node, "pads", before, 0);
}

/// What auto_pad SAME adds on each side, so that there is a window a stride.
int same_padding(const Node& node, int input, int kernel, int stride) {
  const std::int64_t windows = (std::int64_t{input} + stride - 1) / stride;
  const std::int64_t both = std::max<std::int64_t>(0, (windows - 1) * stride + kernel - input);
  return alike(node, both / 2, both - both / 2);
}

void read_padding(const Node& node, const Shape& input, LayerOptions& options) {
  const Attribute* automatic = node.find("auto_pad");
  const std::string_view how = automatic ? automatic->text : "NOTSET";
  if (how == "SAME_UPPER" || how == "SAME_LOWER") {
    options.padding_height =
        same_padding(node, input.height, options.kernel_height, options.stride_height);
    options.padding_width =
        same_padding(node, input.width, options.kernel_width, options.stride_width);
    return;
  }
  const std::vector<std::int64_t> pads = node.integers("pads");
  if (how == "VALID" || pads.empty()) return;
  if (pads.size() != 4)
    Translation::fail(node, fmt::format("pads has {} numbers; it needs 4", pads.size()));
  options.padding_height = alike(node, pads[0], pads[2]);
  options.padding_width = alike(node, pads[1], pads[3]);
}

}  // namespace

int read_int(const Node& node, const char* what, std::int64_t number, int least) {
  constexpr int kMost = 1'000'000;
  if (number < least || number > kMost)
    Translation::fail(
        node, fmt::format("{} is {}; it must be from {} to {}", what, number, least, kMost));
  return static_cast<int>(number);
}

void read_window(const Node& node, const Shape& input, LayerOptions& options) {
  const auto kernel = read_pair(node, "kernel_shape", 1, 0);
  if (kernel[0] > 0) {
    options.kernel_height = kernel[0];
    options.kernel_width = kernel[1];
  }
  const auto stride = read_pair(node, "strides", 1, 1);
  options.stride_height = stride[0];
  options.stride_width = stride[1];
  if (read_pair(node, "dilations", 1, 1) != std::array{1, 1})
    Translation::fail(node, "has dilations; tandem's windows have none");
  read_padding(node, input, options);
}

}  // namespace tandem::onnx
