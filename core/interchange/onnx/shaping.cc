#include "core/interchange/onnx/shaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/interchange/onnx/constants.h"

namespace tandem::onnx {
namespace {

using Dims = std::vector<std::int64_t>;

/// Another name for the same, or a layer where it lay as an image.
void make_vector(Translation& to, const Node& node, const Value& input) {
  const Shape& shape = to.shape(input);
  if (shape.height == 1 && shape.width == 1) return to.set(node, {.layer = input.layer, .rank = 2});
  to.add_layer(node, LayerKind::kFlatten, {}, {input}, 2);
}

/// The sizes that a reshape to `target` gives: 0 keeps one, -1 takes what is left.
Dims resolve(const Dims& target, const Dims& from) {
  Dims dims = target;
  std::int64_t all = 1, known = 1;
  for (const std::int64_t size : from) all *= size;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && i < from.size()) dims[i] = from[i];
    if (dims[i] > 0 && __builtin_mul_overflow(known, dims[i], &known)) return {};
  }
  for (std::int64_t& size : dims) {
    if (size == -1) size = all / known;
  }
  return dims;
}

/// `input` in the sizes `dims`, where that flattens samples, or changes nothing.
void reshape_to(Translation& to, const Node& node, const Value& input, const Dims& dims) {
  const Dims from = to.dims(input);
  const auto features = static_cast<std::int64_t>(to.shape(input).elements());
  if (dims == from) return to.set(node, input);
  if (dims == Dims{from[0], features}) return make_vector(to, node, input);
  if (input.rank == 2 && dims == Dims{from[0], features, 1, 1})
    return to.set(node, {.layer = input.layer, .rank = 4});
  to.fail(node, fmt::format("makes {} of {}; only {}x{}, each sample flattened, is possible",
                            fmt::join(dims, "x"), fmt::join(from, "x"), from[0], features));
}

/// The integers of an attribute, or of input 1 where they are there.
Dims integers(Translation& to, const Node& node, const char* attribute) {
  if (!node.has_input(1)) return node.integers(attribute);
  return whole(node, to.numbers(node, 1));
}

}  // namespace

void flatten(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  const std::int64_t axis = node.integer("axis", 1);
  if (axis != 1 && axis != 1 - input.rank)
    to.fail(node,
            fmt::format("flattens from axis {}; only from 1, each sample, is possible", axis));
  make_vector(to, node, input);
}

void reshape(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  reshape_to(to, node, input, resolve(integers(to, node, "shape"), to.dims(input)));
}

void squeeze(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  const Dims from = to.dims(input), axes = integers(to, node, "axes");
  const auto rank = std::ssize(from);
  Dims dims;
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool is_named = std::ranges::count(axes, i) + std::ranges::count(axes, i - rank) > 0;
    const bool goes = from[i] == 1 && (is_named || (axes.empty() && i > 0));
    if (!goes) dims.push_back(from[i]);
  }
  reshape_to(to, node, input, dims);
}

void unsqueeze(Translation& to, const Node& node) {
  const Value& input = to.activation(node, 0);
  Dims dims = to.dims(input), axes = integers(to, node, "axes");
  const auto rank = std::ssize(dims) + std::ssize(axes);
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis > std::ssize(dims))
      to.fail(node, fmt::format("axis {} is none of its", axis));
    dims.insert(dims.begin() + axis, 1);
  }
  reshape_to(to, node, input, dims);
}

void shape(Translation& to, const Node& node) {
  const Tensor sizes{.dims = to.dims(to.activation(node, 0))};
  const Tensor* const input = &sizes;
  to.set(node, {.tensor = *fold(node, std::span(&input, 1))});
}

}  // namespace tandem::onnx
