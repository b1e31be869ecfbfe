#include "core/model/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/model/zoo/families.h"

namespace tandem {
namespace {

/// A model of the zoo with the shape it is published for, and the least height and width that leave
/// every layer something to work on.
struct Entry {
  const char* name;
  LayerGraph (*build)(const zoo::Target&);
  Shape input;
  int classes;
  int least_extent;
};

constexpr std::array kEntries = {
    // sorted by name
    Entry{"alexnet", zoo::alexnet, {3, 224, 224}, 1000, 63},
    Entry{"cifar10_cnn", zoo::cifar10_cnn, {3, 32, 32}, 10, 16},
    Entry{"gpt", zoo::gpt, {1, 1024, 1}, 50257, 1},
    Entry{"inception_v3", zoo::inception_v3, {3, 299, 299}, 1000, 75},
    Entry{"mnist_cnn", zoo::mnist_cnn, {1, 28, 28}, 10, 16},
    Entry{"mobilenet_v2", zoo::mobilenet_v2, {3, 224, 224}, 1000, 1},
    Entry{"resnet152", zoo::resnet152, {3, 224, 224}, 1000, 1},
    Entry{"resnet50", zoo::resnet50, {3, 224, 224}, 1000, 1},
    Entry{"sdss_dnn", zoo::sdss_dnn, {9, 1, 1}, 3, 1},
    Entry{"vgg16", zoo::vgg16, {3, 224, 224}, 1000, 32},
    Entry{"vgg19", zoo::vgg19, {3, 224, 224}, 1000, 32},
};

const Entry& find(const std::string& name) {
  const auto* entry = std::find_if(kEntries.begin(), kEntries.end(),
                                   [&](const Entry& e) { return name == e.name; });
  if (entry != kEntries.end()) return *entry;
  throw InputError(fmt::format("model '{}' is not known{} There are {}", name,
                               suggestion(name, model_names(), "."),
                               fmt::join(model_names(), ", ")));
}

void check(const Entry& entry, const zoo::Target& target) {
  if (target.classes < 1) {
    throw InputError(fmt::format("model '{}': classes is {}; it must be at least 1", target.name,
                                 target.classes));
  }
  if (target.input.height < entry.least_extent || target.input.width < entry.least_extent) {
    throw InputError(
        fmt::format("model '{}': input {} is too small; it needs a height and width of "
                    "at least {}",
                    target.name, to_string(target.input), entry.least_extent));
  }
}

}  // namespace

LayerGraph build_model(const std::string& name, const ModelShape& shape) {
  const Entry& entry = find(name);
  const zoo::Target target{name, shape.input.value_or(entry.input),
                           shape.classes.value_or(entry.classes), shape.transformer};
  check(entry, target);
  return entry.build(target);
}

bool is_transformer(const std::string& name) {
  return name == "gpt";
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

}  // namespace tandem
