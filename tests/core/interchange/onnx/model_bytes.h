#pragma once

#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace tandem::onnx {

/// An attribute of a node that a test makes: integers where there are some, else one integer or
/// number.
struct MadeAttribute {
  std::string name;
  std::vector<std::int64_t> integers{};
  std::optional<std::int64_t> integer{};
  std::optional<float> number{};
  std::string text{};
};

/// Writes the bytes of a small model, by the field numbers of ONNX's schema.
class ModelBytes {
 public:
  /// A size of 0 is one that the file leaves open.
  ModelBytes& input(const std::string& name, const std::vector<std::int64_t>& dims, int type = 1) {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer value(graph, 11);
    value.add_string(1, name);
    protozero::pbf_writer value_type(value, 2);
    protozero::pbf_writer tensor(value_type, 1);
    tensor.add_enum(1, type);
    protozero::pbf_writer shape(tensor, 2);
    for (const std::int64_t dim : dims) {
      protozero::pbf_writer size(shape, 1);
      if (dim > 0) size.add_int64(1, dim);
      if (dim == 0) size.add_string(2, "open");
    }
    return *this;
  }

  ModelBytes& output(const std::string& name) {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer value(graph, 12);
    value.add_string(1, name);
    return *this;
  }

  /// Sizes alone.
  ModelBytes& weight(const std::string& name, const std::vector<std::int64_t>& dims) {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer tensor(graph, 5);
    for (const std::int64_t dim : dims) tensor.add_int64(1, dim);
    tensor.add_int32(2, 1);
    tensor.add_string(8, name);
    return *this;
  }

  /// A vector of integers.
  ModelBytes& integers(const std::string& name, const std::vector<std::int64_t>& values) {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer tensor(graph, 5);
    tensor.add_int64(1, static_cast<std::int64_t>(values.size()));
    tensor.add_int32(2, 7);
    tensor.add_packed_int64(7, values.begin(), values.end());
    tensor.add_string(8, name);
    return *this;
  }

  /// A number, in the bytes of a float.
  ModelBytes& number(const std::string& name, float value) {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer tensor(graph, 5);
    tensor.add_int32(2, 1);
    tensor.add_string(8, name);
    tensor.add_bytes(9, reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  ModelBytes& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs,
                   const std::vector<MadeAttribute>& attributes = {},
                   const std::string& domain = "") {
    protozero::pbf_writer graph(graph_);
    protozero::pbf_writer node(graph, 1);
    for (const std::string& name : inputs) node.add_string(1, name);
    for (const std::string& name : outputs) node.add_string(2, name);
    node.add_string(3, outputs.empty() ? "" : "make_" + outputs.front());
    node.add_string(4, op);
    for (const MadeAttribute& attribute : attributes) add(node, attribute);
    if (!domain.empty()) node.add_string(7, domain);
    return *this;
  }

  std::string bytes() const {
    std::string bytes;
    protozero::pbf_writer model(bytes);
    model.add_int64(1, 8);
    model.add_message(7, graph_);
    protozero::pbf_writer operators(model, 8);
    operators.add_int64(2, 17);
    return bytes;
  }

 private:
  static void add(protozero::pbf_writer& node, const MadeAttribute& made) {
    protozero::pbf_writer attribute(node, 5);
    attribute.add_string(1, made.name);
    if (made.number) attribute.add_float(2, *made.number);
    if (made.integer) attribute.add_int64(3, *made.integer);
    if (!made.text.empty()) attribute.add_string(4, made.text);
    for (const std::int64_t integer : made.integers) attribute.add_int64(8, integer);
  }

  std::string graph_;
};

}  // namespace tandem::onnx
