#include "core/interchange/onnx/graph.h"

namespace tandem::onnx {

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t missing) const {
  const Attribute* found = find(attribute);
  return found ? found->integer : missing;
}

double Node::number(std::string_view attribute, double missing) const {
  const Attribute* found = find(attribute);
  return found ? found->number : missing;
}

std::vector<std::int64_t> Node::integers(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  return found ? found->integers : std::vector<std::int64_t>();
}

}  // namespace tandem::onnx
