#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/interchange/onnx/graph.h"
#include "core/interchange/onnx/import.h"

namespace tandem::onnx {

/// What a name of the graph stands for: the output of a layer, or a tensor known beforehand.
struct Value {
  int layer = -1;   ///< 0 is the model's input; -1: no layer's
  int rank = 0;     ///< of a layer's output: 4 with height and width, 2 without
  Tensor tensor{};  ///< of all others

  bool is_layer() const { return layer >= 0; }
};

/// Numbers that have to be whole, and no larger than a tensor can be.
std::vector<std::int64_t> whole(const Node& node, const std::vector<double>& numbers);

/// A graph on its way to layers: what its nodes have become so far. Members that take a node throw
/// InputError that names it.
class Translation {
 public:
  Translation(const Graph& graph, const std::optional<Shape>& input);

  ImportedModel run();

  [[noreturn]] static void fail(const Node& node, const std::string& what);

  /// Null where the input was left out. Fails where no node has made it.
  const Value* find(const Node& node, std::size_t i) const;
  /// An input that has to be computed by a layer.
  const Value& activation(const Node& node, std::size_t i) const;
  /// The sizes of an input that has to be weights of so many dimensions.
  std::vector<int> weight_sizes(const Node& node, std::size_t i, std::size_t rank) const;
  /// The numbers of an input that has to be known beforehand.
  const std::vector<double>& numbers(const Node& node, std::size_t i) const;

  const Shape& shape(const Value& value) const { return shapes_[value.layer]; }
  /// As ONNX sees it, the batch first.
  std::vector<std::int64_t> dims(const Value& value) const;
  LayerSpec& layer_of(const Value& value) { return layers_[value.layer - 1]; }
  /// Whether nobody else reads the layer that gives input `i`, by whatever name.
  bool is_only_reader(const Node& node, std::size_t i) const;
  bool is_output(const Node& node) const { return graph_.outputs.front() == node.outputs.front(); }

  /// The node becomes a layer that reads `inputs`.
  void add_layer(const Node& node, LayerKind kind, const LayerOptions& options,
                 const std::vector<Value>& inputs, int rank);
  /// The node's first output is this.
  void set(const Node& node, Value value);

 private:
  void take_inputs(const std::optional<Shape>& input);
  void find_needed();
  void translate(const Node& node);
  bool fold_away(const Node& node);
  std::string unused_name(const Node& node) const;

  const Graph& graph_;
  std::map<std::string_view, Value> values_;
  std::set<const Node*> needed_;
  std::map<std::string_view, int> readers_;  ///< of a value, among what is needed
  std::int64_t batch_ = 1;
  std::vector<Shape> shapes_;  ///< by layer
  std::vector<LayerSpec> layers_;
  std::set<std::string> names_ = {"input", "loss"};
};

}  // namespace tandem::onnx
