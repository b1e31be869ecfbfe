#include "core/interchange/onnx/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "core/base/error.h"
#include "core/interchange/onnx/numbers.h"

namespace tandem::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

// A file of a few bytes a part could else make us hold many times its size.
constexpr std::size_t kMostParts = 1'000'000;
constexpr std::size_t kMostDimensions = 16;

// Field numbers of ONNX's schema, onnx.proto, with the wire type that each has.
constexpr std::uint32_t bytes_field(int field) {
  return tag_and_type(field, pbf_wire_type::length_delimited);
}
constexpr std::uint32_t integer_field(int field) {
  return tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t float_field(int field) {
  return tag_and_type(field, pbf_wire_type::fixed32);
}

std::string_view view(const protozero::data_view& data) {
  return {data.data(), data.size()};
}

/// Walks the messages of one file.
class Reader {
 public:
  Graph model(std::string_view bytes) {
    Graph graph;
    bool has_graph = false, has_opset = false;
    each(pbf_reader(bytes.data(), bytes.size()), [&](pbf_reader& field, std::uint32_t key) {
      if (key == bytes_field(7)) {
        read_graph(field.get_message(), graph);
        has_graph = true;
        return true;
      }
      has_opset = has_opset || key == bytes_field(8);
      return false;
    });
    if (!has_graph) throw InputError("is no ONNX model: it holds no graph");
    if (!has_opset)
      throw InputError("is no whole ONNX model: it does not say the version of its operators");
    return graph;
  }

 private:
  /// Calls take(field, its number and wire type) for each field, and skips what it does not take.
  template <typename Take>
  void each(pbf_reader message, const Take& take) {
    while (message.next()) {
      count(1);
      if (!take(message, message.tag_and_type())) message.skip();
    }
  }

  void count(std::size_t parts) {
    parts_ += parts;
    if (parts_ > kMostParts)
      throw InputError(fmt::format("has more than {} parts, which no model has", kMostParts));
  }

  void read_graph(const pbf_reader& message, Graph& graph) {
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      switch (key) {
        case bytes_field(1):
          graph.nodes.push_back(read_node(field.get_message()));
          return true;
        case bytes_field(5): {
          std::string_view name;
          Tensor tensor = read_tensor(field.get_message(), &name);
          graph.initializers.insert_or_assign(name, std::move(tensor));
          return true;
        }
        case bytes_field(11):
          graph.inputs.push_back(read_value(field.get_message()));
          return true;
        case bytes_field(12):
          graph.outputs.push_back(read_value(field.get_message()).name);
          return true;
        default:
          return false;
      }
    });
  }

  Node read_node(const pbf_reader& message) {
    Node node;
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      switch (key) {
        case bytes_field(1):
          node.inputs.push_back(view(field.get_view()));
          return true;
        case bytes_field(2):
          node.outputs.push_back(view(field.get_view()));
          return true;
        case bytes_field(3):
          node.name = view(field.get_view());
          return true;
        case bytes_field(4):
          node.op = view(field.get_view());
          return true;
        case bytes_field(5): {
          std::string_view name;
          Attribute attribute = read_attribute(field.get_message(), name);
          node.attributes.insert_or_assign(name, std::move(attribute));
          return true;
        }
        case bytes_field(7):
          node.domain = view(field.get_view());
          return true;
        default:
          return false;
      }
    });
    return node;
  }

  Attribute read_attribute(const pbf_reader& message, std::string_view& name) {
    Attribute attribute;
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      switch (key) {
        case bytes_field(1):
          name = view(field.get_view());
          return true;
        case float_field(2):
          attribute.number = field.get_float();
          return true;
        case integer_field(3):
          attribute.integer = field.get_int64();
          return true;
        case bytes_field(4):
          attribute.text = view(field.get_view());
          return true;
        case bytes_field(5):
          attribute.tensor = read_tensor(field.get_message(), nullptr);
          return true;
        default:
          return read_integers(field, key, 8, attribute.integers);
      }
    });
    return attribute;
  }

  /// A repeated field of integers, each by itself or all in one packet.
  bool read_integers(pbf_reader& field, std::uint32_t key, int number,
                     std::vector<std::int64_t>& integers) {
    if (key == integer_field(number)) {
      integers.push_back(field.get_int64());
      return true;
    }
    if (key != bytes_field(number)) return false;
    for (const std::int64_t integer : field.get_packed_int64()) {
      count(1);
      integers.push_back(integer);
    }
    return true;
  }

  Tensor read_tensor(const pbf_reader& message, std::string_view* name) {
    Tensor tensor;
    std::int64_t type = 0;
    std::string_view raw;
    std::vector<double> numbers;
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      if (read_integers(field, key, 1, tensor.dims)) return true;
      if (read_numbers(field, key, numbers)) return true;
      if (key == integer_field(2)) {
        type = field.get_int64();
      } else if (key == bytes_field(8) && name != nullptr) {
        *name = view(field.get_view());
      } else if (key == bytes_field(9)) {
        raw = view(field.get_view());
      } else {
        return false;
      }
      return true;
    });
    if (tensor.dims.size() > kMostDimensions)
      throw InputError(fmt::format("has a tensor of {} dimensions", tensor.dims.size()));
    if (!raw.empty()) numbers = raw_numbers(raw, type);
    if (few_elements(tensor.dims) == numbers.size()) tensor.numbers = std::move(numbers);
    return tensor;
  }

  /// The numbers of a tensor that has them in fields of their type, unless they are many.
  bool read_numbers(pbf_reader& field, std::uint32_t key, std::vector<double>& numbers) {
    const auto keep = [&](const auto& packed) {
      if (std::size_t(packed.size()) > kMostNumbers) return;
      for (const auto number : packed) numbers.push_back(static_cast<double>(number));
    };
    if (numbers.size() > kMostNumbers) return false;
    switch (key) {
      case bytes_field(4):
        keep(field.get_packed_float());
        return true;
      case bytes_field(5):
        keep(field.get_packed_int32());
        return true;
      case bytes_field(7):
        keep(field.get_packed_int64());
        return true;
      case bytes_field(10):
        keep(field.get_packed_double());
        return true;
      case float_field(4):
        numbers.push_back(field.get_float());
        return true;
      case integer_field(5):
      case integer_field(7):
        numbers.push_back(static_cast<double>(field.get_int64()));
        return true;
      default:
        return false;
    }
  }

  Input read_value(const pbf_reader& message) {
    Input input;
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      if (key == bytes_field(1)) {
        input.name = view(field.get_view());
        return true;
      }
      if (key != bytes_field(2)) return false;
      each(field.get_message(), [&](pbf_reader& type, std::uint32_t type_key) {
        if (type_key != bytes_field(1)) return false;
        read_tensor_type(type.get_message(), input);
        return true;
      });
      return true;
    });
    return input;
  }

  void read_tensor_type(const pbf_reader& message, Input& input) {
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      if (key == integer_field(1)) {
        input.is_real = is_real(field.get_int64());
        return true;
      }
      if (key != bytes_field(2)) return false;
      input.has_shape = true;
      each(field.get_message(), [&](pbf_reader& shape, std::uint32_t shape_key) {
        if (shape_key != bytes_field(1)) return false;
        input.dims.push_back(read_dimension(shape.get_message()));
        return true;
      });
      return true;
    });
  }

  /// 0 where it has a name instead of a size.
  std::int64_t read_dimension(const pbf_reader& message) {
    std::int64_t size = 0;
    each(message, [&](pbf_reader& field, std::uint32_t key) {
      if (key != integer_field(1)) return false;
      size = std::max<std::int64_t>(0, field.get_int64());
      return true;
    });
    return size;
  }

  std::size_t parts_ = 0;
};

}  // namespace

Graph read_model(std::string_view bytes) {
  try {
    return Reader().model(bytes);
  } catch (const protozero::exception& error) {
    throw InputError(
        fmt::format("is no ONNX model, or a damaged or incomplete one ({})", error.what()));
  }
}

}  // namespace tandem::onnx
