#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::onnx {

/// A tensor as a file has it: its sizes, and its numbers where they are few. Of weights, which are
/// many, only the sizes are read.
struct Tensor {
  std::vector<std::int64_t> dims{};
  std::optional<std::vector<double>> numbers{};
  bool is_zero = false;  ///< all its numbers are known to be 0, however many
};

struct Attribute {
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text{};
  std::vector<std::int64_t> integers{};
  Tensor tensor{};
};

struct Node {
  std::string_view name{}, op{}, domain{};
  std::vector<std::string_view> inputs{};  ///< names of values; empty: left out
  std::vector<std::string_view> outputs{};
  std::map<std::string_view, Attribute> attributes{};

  const Attribute* find(std::string_view attribute) const;
  std::int64_t integer(std::string_view attribute, std::int64_t missing) const;
  double number(std::string_view attribute, double missing) const;
  /// Empty where it is missing.
  std::vector<std::int64_t> integers(std::string_view attribute) const;
  bool has_input(std::size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
};

/// An input of the whole graph.
struct Input {
  std::string_view name{};
  bool is_real = true;  ///< of some floating-point type
  bool has_shape = false;
  std::vector<std::int64_t> dims{};  ///< 0: not known beforehand
};

/// What a model file says of its graph. Views refer into the file.
struct Graph {
  std::vector<Node> nodes{};  ///< whoever makes a value comes before those who read it
  std::map<std::string_view, Tensor> initializers{};
  std::vector<Input> inputs{};
  std::vector<std::string_view> outputs{};
};

}  // namespace tandem::onnx
