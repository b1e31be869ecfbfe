#include "core/interchange/onnx/translation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/interchange/onnx/constants.h"
#include "core/interchange/onnx/operators.h"
#include "core/model/shape_inference.h"

namespace tandem::onnx {
namespace {

constexpr std::int64_t kMostElements = 1'000'000'000;  // of a sample, or of weights

/// Without what a terminal or a JSON file could not show.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return shown;
}

std::string label(const Node& node) {
  const std::string_view name =
      !node.name.empty() || node.outputs.empty() ? node.name : node.outputs.front();
  return fmt::format("node '{}' ({})", printable(name), printable(node.op));
}

Shape shape_of(const Input& input, const std::optional<Shape>& given) {
  const std::string name = printable(input.name);
  if (!input.is_real)
    throw InputError(
        fmt::format("input '{}' is of integers; only models of images and of vectors "
                    "of real numbers can be imported",
                    name));
  const std::size_t rank = input.dims.size();
  if (input.has_shape && rank != 2 && rank != 4)
    throw InputError(
        fmt::format("input '{}' has {} dimensions; only images (batch, channels, "
                    "height, width) and vectors (batch, features) can be imported",
                    name, rank));
  if (given) return *given;
  if (!input.has_shape || std::ranges::count(input.dims.begin() + 1, input.dims.end(), 0) > 0)
    throw InputError(fmt::format(
        "does not say how large input '{}' is; set model.input to channels, height and width",
        name));
  std::int64_t elements = 1;
  for (const std::int64_t dim : std::span(input.dims).subspan(1)) {
    if (dim > kMostElements || (elements *= dim) > kMostElements)
      throw InputError(fmt::format("input '{}' is too large", name));
  }
  const auto side = [&](std::size_t i) { return i < rank ? static_cast<int>(input.dims[i]) : 1; };
  return {side(1), side(2), side(3)};
}

}  // namespace

Translation::Translation(const Graph& graph, const std::optional<Shape>& input) : graph_(graph) {
  if (graph.outputs.size() != 1)
    throw InputError(fmt::format(
        "has {} outputs; only models of one, the scores of the classes, can be imported",
        graph.outputs.size()));
  for (const auto& [name, tensor] : graph.initializers) values_[name] = {.tensor = tensor};
  take_inputs(input);
  find_needed();
}

// Older files list weights among the inputs, and files without weights only there.
void Translation::take_inputs(const std::optional<Shape>& given) {
  for (const Input& input : graph_.inputs) {
    if (graph_.initializers.contains(input.name)) continue;
    if (!shapes_.empty()) {
      values_[input.name] = {.tensor = {.dims = input.dims}};
      continue;
    }
    shapes_.push_back(shape_of(input, given));
    const bool is_vector =
        input.has_shape ? input.dims.size() == 2 : shapes_[0].height * shapes_[0].width == 1;
    if (is_vector && (shapes_[0].height != 1 || shapes_[0].width != 1))
      throw InputError(fmt::format("takes vectors, but model.input is {}; give [{}, 1, 1]",
                                   to_string(shapes_[0]), shapes_[0].elements()));
    if (!input.dims.empty() && input.dims[0] > 0) batch_ = std::min(input.dims[0], kMostElements);
    values_[input.name] = {.layer = 0, .rank = is_vector ? 2 : 4};
  }
  if (shapes_.empty()) throw InputError("has no input");
}

// Whoever makes a value comes before those who read it, so one walk from the end finds all.
void Translation::find_needed() {
  std::set<std::string_view> wanted = {graph_.outputs.front()};
  for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
    if (std::ranges::none_of(node->outputs, [&](auto name) { return wanted.contains(name); }))
      continue;
    needed_.insert(&*node);
    for (const std::string_view input : node->inputs) {
      wanted.insert(input);
      ++readers_[input];
    }
  }
}

ImportedModel Translation::run() {
  for (const Node& node : graph_.nodes) {
    if (needed_.contains(&node)) translate(node);
  }
  const auto output = values_.find(graph_.outputs.front());
  if (output == values_.end())
    throw InputError(
        fmt::format("no node makes its output '{}'", printable(graph_.outputs.front())));
  if (layers_.empty() || output->second.layer != std::ssize(layers_))
    throw InputError(fmt::format("its output '{}' is not computed by its last layer",
                                 printable(graph_.outputs.front())));
  return {shapes_.front(), std::move(layers_)};
}

void Translation::translate(const Node& node) {
  if (node.outputs.empty()) fail(node, "has no output");
  if (fold_away(node)) return;
  const bool is_standard = node.domain.empty() || node.domain == "ai.onnx";
  const Operator translate_node = is_standard ? find_operator(node.op) : nullptr;
  if (translate_node == nullptr) {
    const std::string of = is_standard ? "" : fmt::format(" of '{}'", printable(node.domain));
    fail(node, fmt::format("tandem has no layer like this operator{}; nearest by name is {}; there "
                           "are {}",
                           of, nearest(printable(node.op), operator_names()),
                           fmt::join(operator_names(), ", ")));
  }
  translate_node(*this, node);
}

// What is computed of tensors known beforehand is known beforehand.
bool Translation::fold_away(const Node& node) {
  std::vector<const Tensor*> tensors;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* value = find(node, i);
    if (value != nullptr && value->is_layer()) return false;
    tensors.push_back(value ? &value->tensor : nullptr);
  }
  std::optional<Tensor> folded = fold(node, tensors);
  if (!folded) return false;
  set(node, {.tensor = std::move(*folded)});
  return true;
}

void Translation::fail(const Node& node, const std::string& what) {
  throw InputError(fmt::format("{}: {}", label(node), what));
}

const Value* Translation::find(const Node& node, std::size_t i) const {
  if (!node.has_input(i)) return nullptr;
  const auto found = values_.find(node.inputs[i]);
  if (found == values_.end())
    fail(node, fmt::format("reads '{}', which nothing before it makes", printable(node.inputs[i])));
  return &found->second;
}

const Value& Translation::activation(const Node& node, std::size_t i) const {
  const Value* value = find(node, i);
  if (value == nullptr || !value->is_layer())
    fail(node, fmt::format("input {} has to be computed from the model's input, but is {}", i + 1,
                           value ? "a constant" : "missing"));
  return *value;
}

std::vector<int> Translation::weight_sizes(const Node& node, std::size_t i,
                                           std::size_t rank) const {
  const Value* value = find(node, i);
  if (value == nullptr || value->is_layer())
    fail(node, fmt::format("input {} has to be weights, but is {}", i + 1,
                           value ? "computed" : "missing"));
  const std::vector<std::int64_t>& dims = value->tensor.dims;
  if (dims.size() != rank)
    fail(node, fmt::format("has weights of {} dimensions; {} are possible", dims.size(), rank));
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 1 || dim > kMostElements || (elements *= dim) > kMostElements)
      fail(node, fmt::format("has weights of {}, which no model has", fmt::join(dims, "x")));
  }
  return {dims.begin(), dims.end()};
}

const std::vector<double>& Translation::numbers(const Node& node, std::size_t i) const {
  const Value* value = find(node, i);
  if (value == nullptr || !value->tensor.numbers)
    fail(node, fmt::format("input {} has to be constant numbers that the file holds", i + 1));
  return *value->tensor.numbers;
}

std::vector<std::int64_t> whole(const Node& node, const std::vector<double>& numbers) {
  std::vector<std::int64_t> integers;
  for (const double number : numbers) {
    if (!(std::abs(number) <= 1e15))
      Translation::fail(node, fmt::format("takes a size of {}, which no model has", number));
    integers.push_back(static_cast<std::int64_t>(number));
  }
  return integers;
}

std::vector<std::int64_t> Translation::dims(const Value& value) const {
  const Shape& of_sample = shape(value);
  if (value.rank == 2) return {batch_, of_sample.channels};
  return {batch_, of_sample.channels, of_sample.height, of_sample.width};
}

bool Translation::is_only_reader(const Node& node, std::size_t i) const {
  const int layer = activation(node, i).layer;
  const auto names =
      std::ranges::count(values_, layer, [](const auto& value) { return value.second.layer; });
  return names == 1 && readers_.at(node.inputs[i]) == 1;
}

void Translation::add_layer(const Node& node, LayerKind kind, const LayerOptions& options,
                            const std::vector<Value>& inputs, int rank) {
  LayerSpec layer{.name = unused_name(node), .kind = kind, .options = options, .inputs = {}};
  std::vector<Shape> shapes;
  for (const Value& input : inputs) {
    layer.inputs.push_back(input.layer == 0 ? "input" : layers_[input.layer - 1].name);
    shapes.push_back(shapes_[input.layer]);
  }
  try {
    shapes_.push_back(infer_shape(kind, options, shapes));
  } catch (const InputError& error) {
    fail(node, error.what());
  }
  if (shapes_.back().elements() > kMostElements)
    fail(node, fmt::format("makes {}, which is too large", to_string(shapes_.back())));
  names_.insert(layer.name);
  layers_.push_back(std::move(layer));
  set(node, {.layer = static_cast<int>(layers_.size()), .rank = rank});
}

std::string Translation::unused_name(const Node& node) const {
  const std::string base = printable(!node.name.empty() ? node.name : node.outputs.front());
  std::string name = base.empty() ? std::string(node.op) : base;
  for (int i = 2; names_.contains(name); ++i) name = fmt::format("{}.{}", base, i);
  return name;
}

void Translation::set(const Node& node, Value value) {
  values_[node.outputs.front()] = std::move(value);
}

}  // namespace tandem::onnx
