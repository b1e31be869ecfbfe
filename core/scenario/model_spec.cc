#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/interchange/onnx/import.h"
#include "core/model/custom.h"
#include "core/model/zoo.h"
#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

// Which options a kind of layer has, beside kind, name and inputs.
std::vector<std::string> option_keys(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConvolution:
      return {"outputs", "kernel", "stride", "padding", "groups", "bias"};
    case LayerKind::kLinear:
      return {"outputs", "bias", "each_row"};
    case LayerKind::kMaxPool:
      return {"kernel", "stride", "padding", "ceil_mode"};
    case LayerKind::kAveragePool:
      return {"kernel", "stride", "padding", "ceil_mode", "count_padding"};
    case LayerKind::kBatchNorm:
      return {"epsilon", "momentum"};
    case LayerKind::kLayerNorm:
      return {"epsilon"};
    case LayerKind::kDropout:
      return {"probability"};
    case LayerKind::kEmbedding:
      return {"vocabulary", "outputs"};
    case LayerKind::kAttention:
      return {"heads"};
    default:
      return {};
  }
}

bool is_pool(LayerKind kind) {
  return kind == LayerKind::kMaxPool || kind == LayerKind::kAveragePool;
}

LayerKind read_kind(const Value& value) {
  std::vector<std::string> kinds = layer_kind_names();
  std::erase(kinds, to_string(LayerKind::kInput));
  return *parse_layer_kind(read_choice(value, "layer kind", kinds));
}

// A number for both sides, or [height, width].
void read_pair(const Value& value, const std::string& name, int least, int& height, int& width) {
  if (value.kind != Value::Kind::kList) {
    height = width = read_int(value, name, least);
    return;
  }
  if (value.items.size() != 2)
    fail(value.where, fmt::format("{} has to be one number or [height, width]", name));
  height = read_int(value.items[0], name, least);
  width = read_int(value.items[1], name, least);
}

void read_window(const MapReader& map, LayerKind kind, LayerOptions& options) {
  const Value& kernel = map.require("kernel", "3");
  read_pair(kernel, map.dotted("kernel"), 1, options.kernel_height, options.kernel_width);
  if (is_pool(kind)) {  // pools step by their own size unless told, as PyTorch's do
    options.stride_height = options.kernel_height;
    options.stride_width = options.kernel_width;
  }
  if (const Value* stride = map.find("stride"))
    read_pair(*stride, map.dotted("stride"), 1, options.stride_height, options.stride_width);
  if (const Value* padding = map.find("padding"))
    read_pair(*padding, map.dotted("padding"), 0, options.padding_height, options.padding_width);
}

void read_switches(const MapReader& map, LayerOptions& options) {
  if (const Value* bias = map.find("bias")) options.bias = read_bool(*bias, map.dotted("bias"));
  if (const Value* each = map.find("each_row"))
    options.each_row = read_bool(*each, map.dotted("each_row"));
  if (const Value* ceil = map.find("ceil_mode"))
    options.ceil_mode = read_bool(*ceil, map.dotted("ceil_mode"));
  if (const Value* count = map.find("count_padding"))
    options.count_padding = read_bool(*count, map.dotted("count_padding"));
}

void read_numbers(const MapReader& map, LayerOptions& options) {
  if (const Value* groups = map.find("groups"))
    options.groups = read_int(*groups, map.dotted("groups"), 1);
  if (const Value* heads = map.find("heads"))
    options.heads = read_int(*heads, map.dotted("heads"), 1);
  if (const Value* probability = map.find("probability"))
    options.probability = read_fraction(*probability, map.dotted("probability"));
  if (const Value* epsilon = map.find("epsilon"))
    options.epsilon = read_positive(*epsilon, map.dotted("epsilon"));
  if (const Value* momentum = map.find("momentum"))
    options.momentum = read_fraction(*momentum, map.dotted("momentum"));
}

LayerOptions read_options(const MapReader& map, LayerKind kind) {
  LayerOptions options;
  if (kind == LayerKind::kConvolution || kind == LayerKind::kLinear ||
      kind == LayerKind::kEmbedding)
    options.outputs = read_int(map.require("outputs", "10"), map.dotted("outputs"), 1);
  if (kind == LayerKind::kEmbedding)
    options.vocabulary = read_int(map.require("vocabulary", "96"), map.dotted("vocabulary"), 1);
  if (kind == LayerKind::kConvolution || is_pool(kind)) read_window(map, kind, options);
  read_switches(map, options);
  read_numbers(map, options);
  return options;
}

std::vector<std::string> read_inputs(const Value& value) {
  if (value.kind != Value::Kind::kList) return {read_string(value, "inputs")};
  std::vector<std::string> inputs;
  for (const Value& item : value.items) inputs.push_back(read_string(item, "inputs"));
  return inputs;
}

Shape read_shape(const Value& value) {
  if (value.kind != Value::Kind::kList || value.items.size() != 3)
    fail(value.where,
         fmt::format("model.input is {}, but has to be [channels, height, width], such "
                     "as [1, 28, 28]",
                     describe(value)));
  const auto side = [&](int i) { return read_int(value.items[i], "model.input", 1); };
  return {side(0), side(1), side(2)};
}

std::vector<LayerSpec> read_layers(const Value& value) {
  if (value.kind != Value::Kind::kList || value.items.empty())
    fail(value.where,
         fmt::format(
             "model.layers is {}, but has to be a list of layers, such as "
             "'- {{kind: linear, outputs: 10}}'",
             value.items.empty() && value.kind == Value::Kind::kList ? "empty" : describe(value)));
  std::vector<LayerSpec> layers;
  for (const Value& item : value.items) {
    LayerSpec layer = read_layer(item, static_cast<int>(layers.size()) + 1);
    if (std::ranges::find(layers, layer.name, &LayerSpec::name) != layers.end())
      fail(item.where,
           fmt::format("two layers are called '{}'; give each its own name", layer.name));
    layers.push_back(std::move(layer));
  }
  return layers;
}

TransformerShape read_transformer(const MapReader& map) {
  TransformerShape shape;
  const auto read = [&](const char* key, int& number) {
    if (const Value* value = map.find(key)) number = read_int(*value, map.dotted(key), 1);
  };
  constexpr int kMostLayers = 10'000;  // far beyond any that was trained; more only takes long
  read("layers", shape.layers);
  if (shape.layers > kMostLayers)
    fail(map.find("layers")->where, fmt::format("{} is {}, but has to be at most {}",
                                                map.dotted("layers"), shape.layers, kMostLayers));
  read("width", shape.width);
  read("heads", shape.heads);
  read("vocabulary", shape.vocabulary);
  read("sequence", shape.sequence);
  return shape;
}

// `layers` is a number there, and a list in a model of one's own, whatever its name.
bool is_zoo_transformer(const Value& model) {
  const Value* name = model.find("name");
  const Value* layers = model.find("layers");
  return name != nullptr && is_transformer(name->scalar) &&
         (layers == nullptr || layers->kind != Value::Kind::kList);
}

// Finds out here, where the place is known, whether the layers fit together.
void check_builds(const ModelSpec& model, const std::string& where) {
  try {
    build_model(model);
  } catch (const InputError& error) {
    fail(where, error.what());
  }
}

// A model of the zoo by its name, or a file by its ending.
bool is_onnx_file(const Value& model) {
  return std::filesystem::path(model.scalar).extension() == ".onnx";
}

void import_layers(ModelSpec& model, const Value& file) {
  try {
    onnx::ImportedModel imported = onnx::import_model(file.scalar, model.input);
    model.input = imported.input;
    model.layers = std::move(imported.layers);
  } catch (const InputError& error) {
    fail(file.where, error.what());
  }
  check_builds(model, file.where);
}

ModelSpec read_imported(const Value& value) {
  ModelSpec model;
  if (value.kind == Value::Kind::kScalar) {
    model.name = std::filesystem::path(value.scalar).stem().string();
    import_layers(model, value);
    return model;
  }
  const MapReader map(value, "model", {"onnx", "name", "input", "classes"});
  const Value& file = *map.find("onnx");
  model.name = std::filesystem::path(read_string(file, "model.onnx")).stem().string();
  if (const Value* name = map.find("name")) model.name = read_string(*name, "model.name");
  if (const Value* input = map.find("input")) model.input = read_shape(*input);
  if (const Value* classes = map.find("classes"))
    model.classes = read_int(*classes, "model.classes", 1);
  import_layers(model, file);
  return model;
}

}  // namespace

LayerSpec read_layer(const Value& value, int index) {
  const std::string name = fmt::format("layer {}", index);
  if (value.kind != Value::Kind::kMap)
    fail(value.where, fmt::format("{} is {}, but has to be a map, such as '{{kind: relu}}'", name,
                                  describe(value)));
  const Value* kind = value.find("kind");
  if (kind == nullptr)
    fail(value.where, fmt::format("{} has no kind; give one, such as 'kind: linear'", name));
  LayerSpec layer;
  layer.kind = read_kind(*kind);
  std::vector<std::string> known = option_keys(layer.kind);
  known.insert(known.begin(), {"kind", "name", "inputs"});
  const MapReader map(value, fmt::format("{} ({})", name, to_string(layer.kind)), known);
  layer.name = fmt::format("{}{}", to_string(layer.kind), index);
  if (const Value* given = map.find("name")) layer.name = read_string(*given, "name");
  layer.options = read_options(map, layer.kind);
  if (const Value* inputs = map.find("inputs")) layer.inputs = read_inputs(*inputs);
  return layer;
}

ModelSpec read_model(const Value& value) {
  if (value.find("onnx") || (value.kind == Value::Kind::kScalar && is_onnx_file(value)))
    return read_imported(value);
  ModelSpec model;
  if (value.kind == Value::Kind::kScalar) {
    model.name = read_choice(value, "model", model_names());
    return model;
  }
  if (is_zoo_transformer(value)) {
    const MapReader map(value, "model",
                        {"name", "layers", "width", "heads", "vocabulary", "sequence"});
    model.name = value.find("name")->scalar;
    model.transformer = read_transformer(map);
    check_builds(model, value.where);
    return model;
  }
  const MapReader map(value, "model", {"name", "input", "classes", "layers"});
  const Value& name = map.require("name", "mnist_cnn");
  const Value* layers = map.find("layers");
  model.name = layers ? read_string(name, "model.name") : read_choice(name, "model", model_names());
  if (const Value* input = layers ? &map.require("input", "[1, 28, 28]") : map.find("input"))
    model.input = read_shape(*input);
  if (const Value* classes = map.find("classes"))
    model.classes = read_int(*classes, "model.classes", 1);
  if (layers) model.layers = read_layers(*layers);
  check_builds(model, value.where);
  return model;
}

}  // namespace tandem
