#include "core/interchange/onnx/gelu.h"

#include <cmath>
#include <map>
#include <numbers>

namespace tandem::onnx {
namespace {

using Name = std::string_view;

/// Finds a node's neighbours.
class Neighbours {
 public:
  explicit Neighbours(Graph& graph) : graph_(graph) {
    for (Node& node : graph.nodes) {
      for (const Name output : node.outputs) maker_[output] = &node;
      for (const Name input : node.inputs) readers_[input].push_back(&node);
    }
  }

  /// Who makes a value, if that is a node of two inputs with that operator.
  Node* maker(Name value, Name op) const {
    const auto found = maker_.find(value);
    return found != maker_.end() && is(*found->second, op) ? found->second : nullptr;
  }

  /// Who alone reads a value, likewise.
  Node* reader(Name value, Name op) const {
    const auto found = readers_.find(value);
    if (found == readers_.end() || found->second.size() != 1) return nullptr;
    return is(*found->second.front(), op) ? found->second.front() : nullptr;
  }

  /// The input of `node` beside one that is `number`; nothing where none is.
  std::optional<Name> beside(const Node& node, double number) const {
    for (const int i : {0, 1}) {
      const auto constant = number_of(node.inputs[i]);
      if (constant && std::abs(*constant - number) < 1e-3) return node.inputs[1 - i];
    }
    return std::nullopt;
  }

 private:
  static bool is(const Node& node, Name op) {
    return node.op == op && node.inputs.size() == 2 && node.outputs.size() == 1;
  }

  std::optional<double> number_of(Name value) const {
    const Tensor* tensor = nullptr;
    if (const auto found = graph_.initializers.find(value); found != graph_.initializers.end()) {
      tensor = &found->second;
    } else if (const auto made = maker_.find(value);
               made != maker_.end() && made->second->op == "Constant") {
      const Attribute* attribute = made->second->find("value");
      if (attribute != nullptr) tensor = &attribute->tensor;
    }
    if (!tensor || !tensor->numbers || tensor->numbers->size() != 1) return std::nullopt;
    return tensor->numbers->front();
  }

  const Graph& graph_;
  std::map<Name, Node*> maker_;
  std::map<Name, std::vector<Node*>> readers_;
};

/// What `erf` is taken of, times sqrt 2.
std::optional<Name> argument(const Neighbours& at, const Node& erf) {
  if (const Node* divide = at.maker(erf.inputs[0], "Div")) {
    const auto x = at.beside(*divide, std::numbers::sqrt2);
    if (x == divide->inputs[0]) return x;
  }
  if (const Node* multiply = at.maker(erf.inputs[0], "Mul"))
    return at.beside(*multiply, 1 / std::numbers::sqrt2);
  return std::nullopt;
}

/// The last multiplication of x / 2 and `sum`, in whichever order.
Node* last_product(const Neighbours& at, Name x, Name sum) {
  Node* product = at.reader(sum, "Mul");
  if (product == nullptr) return nullptr;
  const Name other = product->inputs[product->inputs[0] == sum ? 1 : 0];
  const Node* half = at.maker(other, "Mul");
  if (half && at.beside(*half, 0.5) == x) return product;
  Node* next = at.reader(product->outputs[0], "Mul");
  if (next == nullptr) return nullptr;
  const bool x_then_half = other == x && at.beside(*next, 0.5) == product->outputs[0];
  const bool half_then_x = at.beside(*product, 0.5) == sum &&
                           next->inputs[next->inputs[0] == product->outputs[0] ? 1 : 0] == x;
  return x_then_half || half_then_x ? next : nullptr;
}

}  // namespace

void join_gelus(Graph& graph) {
  const Neighbours at(graph);
  for (const Node& erf : graph.nodes) {
    if (erf.op != "Erf" || erf.inputs.size() != 1 || erf.outputs.size() != 1) continue;
    const auto x = argument(at, erf);
    const Node* sum = at.reader(erf.outputs[0], "Add");
    if (!x || !sum || at.beside(*sum, 1) != erf.outputs[0]) continue;
    Node* last = last_product(at, *x, sum->outputs[0]);
    if (last == nullptr) continue;
    last->op = "Gelu";
    last->inputs = {*x};
  }
}

}  // namespace tandem::onnx
