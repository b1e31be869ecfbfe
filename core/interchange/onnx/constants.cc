#include "core/interchange/onnx/constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace tandem::onnx {
namespace {

using Inputs = std::span<const Tensor* const>;
using Dims = std::vector<std::int64_t>;

Tensor vector_of(std::vector<double> numbers) {
  return {.dims = {static_cast<std::int64_t>(numbers.size())}, .numbers = std::move(numbers)};
}

const Tensor* at(Inputs inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

/// The numbers of an input, or nothing.
const std::vector<double>* numbers_at(Inputs inputs, std::size_t i) {
  const Tensor* tensor = at(inputs, i);
  return tensor && tensor->numbers ? &*tensor->numbers : nullptr;
}

/// Sizes are whole; what is written for "to the end" is the largest integer there is.
std::int64_t whole(double number) {
  constexpr double kMost = 1e15;
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

/// Integers that are an attribute in older files and an input in newer ones.
Dims integers(const Node& node, Inputs inputs, std::size_t i, std::string_view attribute) {
  const auto* numbers = numbers_at(inputs, i);
  if (!numbers) return node.integers(attribute);
  Dims integers;
  for (const double number : *numbers) integers.push_back(whole(number));
  return integers;
}

std::optional<Tensor> constant(const Node& node, Inputs) {
  for (const char* scalar : {"value_float", "value_int"}) {
    if (const Attribute* value = node.find(scalar))
      return Tensor{.numbers = {{value->number + static_cast<double>(value->integer)}}};
  }
  if (const Attribute* value = node.find("value_ints"))
    return vector_of({value->integers.begin(), value->integers.end()});
  if (const Attribute* value = node.find("value")) return value->tensor;
  return std::nullopt;
}

std::optional<Tensor> same(const Node&, Inputs inputs) {
  if (!at(inputs, 0)) return std::nullopt;
  return *inputs[0];
}

std::optional<Tensor> gather(const Node& node, Inputs inputs) {
  const auto *data = numbers_at(inputs, 0), *indices = numbers_at(inputs, 1);
  if (!data || !indices || inputs[0]->dims.size() != 1 || node.integer("axis", 0) != 0)
    return std::nullopt;
  Tensor picked{.dims = inputs[1]->dims, .numbers = std::vector<double>()};
  const auto size = static_cast<double>(data->size());
  for (double index : *indices) {
    if (index < 0) index += size;
    if (!(index >= 0 && index < size)) return std::nullopt;
    picked.numbers->push_back((*data)[static_cast<std::size_t>(index)]);
  }
  return picked;
}

std::optional<Tensor> slice(const Node& node, Inputs inputs) {
  const auto* data = numbers_at(inputs, 0);
  const Dims starts = integers(node, inputs, 1, "starts");
  const Dims ends = integers(node, inputs, 2, "ends");
  const Dims steps = integers(node, inputs, 4, "steps");
  const bool steps_by_one = steps.empty() || (steps.size() == 1 && steps[0] == 1);
  if (!data || inputs[0]->dims.size() != 1 || starts.size() != 1 || ends.size() != 1 ||
      !steps_by_one)
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->size());
  const auto place = [&](std::int64_t index) {
    return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
  };
  const std::int64_t begin = place(starts[0]), end = std::max(begin, place(ends[0]));
  return vector_of({data->begin() + begin, data->begin() + end});
}

std::optional<Tensor> concat_values(const Node&, Inputs inputs) {
  constexpr std::size_t kMost = 64;
  std::vector<double> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto* numbers = numbers_at(inputs, i);
    if (!numbers || inputs[i]->dims.size() != 1) return std::nullopt;
    all.insert(all.end(), numbers->begin(), numbers->end());
    if (all.size() > kMost) return std::nullopt;
  }
  return vector_of(std::move(all));
}

std::int64_t elements(const Dims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) return -1;
  }
  return product;
}

std::optional<Tensor> reshape_values(const Node&, Inputs inputs) {
  const auto* target = numbers_at(inputs, 1);
  if (!at(inputs, 0) || !target) return std::nullopt;
  Tensor shaped{.numbers = inputs[0]->numbers};
  const std::int64_t all = elements(inputs[0]->dims);
  std::int64_t known = 1;
  for (std::size_t i = 0; i < target->size(); ++i) {
    std::int64_t size = whole((*target)[i]);
    if (size == 0 && i < inputs[0]->dims.size()) size = inputs[0]->dims[i];
    if (size > 0 && __builtin_mul_overflow(known, size, &known)) return std::nullopt;
    shaped.dims.push_back(size);
  }
  for (std::int64_t& size : shaped.dims) {
    if (size == -1 && known > 0) size = all / known;
  }
  if (all < 0 || elements(shaped.dims) != all) return std::nullopt;
  return shaped;
}

/// Sizes of one more or fewer by dimensions of 1; numbers stay as they lie.
std::optional<Tensor> unsqueeze_values(const Node& node, Inputs inputs) {
  constexpr std::size_t kMostDimensions = 16;
  if (!at(inputs, 0)) return std::nullopt;
  Tensor tensor = *inputs[0];
  Dims axes = integers(node, inputs, 1, "axes");
  const auto rank = static_cast<std::int64_t>(tensor.dims.size() + axes.size());
  if (rank > std::int64_t(kMostDimensions)) return std::nullopt;
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis > std::ssize(tensor.dims)) return std::nullopt;
    tensor.dims.insert(tensor.dims.begin() + axis, 1);
  }
  return tensor;
}

std::optional<Tensor> squeeze_values(const Node& node, Inputs inputs) {
  if (!at(inputs, 0)) return std::nullopt;
  const Dims axes = integers(node, inputs, 1, "axes");
  const auto rank = static_cast<std::int64_t>(inputs[0]->dims.size());
  Tensor tensor{.numbers = inputs[0]->numbers};
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool named = std::ranges::count(axes, i) + std::ranges::count(axes, i - rank) > 0;
    const bool goes = inputs[0]->dims[i] == 1 && (named || axes.empty());
    if (!goes) tensor.dims.push_back(inputs[0]->dims[i]);
  }
  return tensor;
}

/// Of weights, whose numbers are not known.
std::optional<Tensor> transpose(const Node& node, Inputs inputs) {
  if (!at(inputs, 0)) return std::nullopt;
  const Dims& dims = inputs[0]->dims;
  Dims order = node.integers("perm");
  if (order.empty()) {
    order.resize(dims.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  Tensor tensor;
  for (const std::int64_t axis : order) {
    if (axis < 0 || axis >= std::ssize(dims)) return std::nullopt;
    tensor.dims.push_back(dims[axis]);
  }
  if (dims.size() < 2) tensor.numbers = inputs[0]->numbers;
  return tensor;
}

std::optional<Tensor> combine(Inputs inputs, const std::function<double(double, double)>& of) {
  const auto *left = numbers_at(inputs, 0), *right = numbers_at(inputs, 1);
  if (!left || !right || left->empty() || right->empty()) return std::nullopt;
  if (left->size() != right->size() && left->size() != 1 && right->size() != 1) return std::nullopt;
  const bool is_left = left->size() >= right->size();
  Tensor result{.dims = inputs[is_left ? 0 : 1]->dims, .numbers = std::vector<double>()};
  for (std::size_t i = 0; i < std::max(left->size(), right->size()); ++i)
    result.numbers->push_back(of((*left)[i % left->size()], (*right)[i % right->size()]));
  return result;
}

std::optional<Tensor> product(const Node&, Inputs inputs) {
  const auto* numbers = numbers_at(inputs, 0);
  if (!numbers) return std::nullopt;
  return vector_of({std::accumulate(numbers->begin(), numbers->end(), 1.0, std::multiplies<>())});
}

std::optional<Tensor> sizes(const Node& node, Inputs inputs) {
  if (!at(inputs, 0)) return std::nullopt;
  const Dims& dims = inputs[0]->dims;
  const auto rank = std::ssize(dims);
  const auto place = [&](const char* attribute, std::int64_t missing) {
    const std::int64_t index = node.integer(attribute, missing);
    return std::clamp<std::int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const std::int64_t begin = place("start", 0), end = std::max(begin, place("end", rank));
  return vector_of({dims.begin() + begin, dims.begin() + end});
}

/// A single number as often as a shape says.
std::optional<Tensor> expand(const Node&, Inputs inputs) {
  const auto *number = numbers_at(inputs, 0), *target = numbers_at(inputs, 1);
  if (!number || number->size() != 1 || !target) return std::nullopt;
  Tensor expanded{.is_zero = number->front() == 0};
  for (const double size : *target) expanded.dims.push_back(whole(size));
  if (elements(expanded.dims) == 1) expanded.numbers = *number;
  return expanded;
}

std::optional<Tensor> filled(const Node& node, Inputs inputs) {
  const auto* sizes = numbers_at(inputs, 0);
  if (!sizes || sizes->size() > 1) return std::nullopt;
  const std::size_t count =
      sizes->empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(0, whole((*sizes)[0])));
  constexpr std::size_t kMost = 64;
  if (count > kMost) return std::nullopt;
  const Attribute* value = node.find("value");
  const bool has_value = value && value->tensor.numbers && !value->tensor.numbers->empty();
  return vector_of(std::vector<double>(count, has_value ? value->tensor.numbers->front() : 0));
}

/// Of whole numbers, as sizes are.
double quotient(double left, double right) {
  return right == 0 ? 0 : std::trunc(left / right);
}

const std::map<std::string_view, std::function<std::optional<Tensor>(const Node&, Inputs)>> kFolds =
    {{"Constant", constant},
     {"ConstantOfShape", filled},
     {"Identity", same},
     {"Cast", same},
     {"Expand", expand},
     {"Shape", sizes},
     {"Gather", gather},
     {"Slice", slice},
     {"Concat", concat_values},
     {"Reshape", reshape_values},
     {"Unsqueeze", unsqueeze_values},
     {"Squeeze", squeeze_values},
     {"Transpose", transpose},
     {"ReduceProd", product},
     {"Add", [](const Node&, Inputs inputs) { return combine(inputs, std::plus<>()); }},
     {"Sub", [](const Node&, Inputs inputs) { return combine(inputs, std::minus<>()); }},
     {"Mul", [](const Node&, Inputs inputs) { return combine(inputs, std::multiplies<>()); }},
     {"Div", [](const Node&, Inputs inputs) { return combine(inputs, quotient); }}};

}  // namespace

std::optional<Tensor> fold(const Node& node, Inputs inputs) {
  const auto found = kFolds.find(node.op);
  return found == kFolds.end() ? std::nullopt : found->second(node, inputs);
}

}  // namespace tandem::onnx
