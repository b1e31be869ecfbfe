#include "core/data/dataset.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/data/image_folder.h"
#include "core/data/synthetic.h"

namespace tandem {
namespace {

bool is_image_folder(const DataLocation& location) {
  return location.name == "fashion_mnist" || location.name == "mnist";
}

[[noreturn]] void refuse(const DataLocation& location) {
  throw InputError(fmt::format("data '{}' is not known; did you mean '{}'? There are {}",
                               location.name, nearest(location.name, dataset_names()),
                               fmt::join(dataset_names(), ", ")));
}

}  // namespace

DataSplits load_dataset(const DataLocation& location, Shape synthetic_shape, int synthetic_classes,
                        std::uint64_t seed) {
  if (location.name == "synthetic") return make_synthetic(synthetic_shape, synthetic_classes, seed);
  if (is_image_folder(location)) return read_image_folder(location);
  refuse(location);
}

DatasetInfo describe_dataset(const DataLocation& location, Shape synthetic_shape,
                             int synthetic_classes) {
  if (location.name == "synthetic") {
    return {synthetic_shape, synthetic_classes, synthetic_train_size(synthetic_shape)};
  }
  if (is_image_folder(location)) return describe_image_folder(location);
  refuse(location);
}

std::vector<std::string> dataset_names() {
  return {"fashion_mnist", "mnist", "synthetic"};
}

}  // namespace tandem
