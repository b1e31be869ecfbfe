#include "core/data/dataset.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/data/cifar10.h"
#include "core/data/image_folder.h"
#include "core/data/sdss.h"
#include "core/data/synthetic.h"

namespace tandem {
namespace {

/// A data set that is read from files.
struct Source {
  std::function<DataSplits(const DataRequest&, std::uint64_t seed)> load;
  DatasetInfo (*describe)(const DataRequest&);
  std::vector<std::string> features = {};
};

const std::map<std::string, Source>& sources() {
  const auto unseeded = [](DataSplits (*read)(const DataRequest&)) {
    return [read](const DataRequest& request, std::uint64_t) { return read(request); };
  };
  static const std::map<std::string, Source> kSources = {
      {"cifar10", {unseeded(read_cifar10), describe_cifar10}},
      {"fashion_mnist", {unseeded(read_image_folder), describe_image_folder}},
      {"mnist", {unseeded(read_image_folder), describe_image_folder}},
      {"sdss_dr14", {read_sdss, describe_sdss, sdss_features()}},
      {"sdss_dr17", {read_sdss, describe_sdss, sdss_features()}},
  };
  return kSources;
}

constexpr const char* kSynthetic = "synthetic";

const Source& source(const DataRequest& request) {
  const auto found = sources().find(request.name);
  if (found != sources().end()) return found->second;
  throw InputError(fmt::format("data '{}' is not known; did you mean '{}'? There are {}",
                               request.name, nearest(request.name, dataset_names()),
                               fmt::join(dataset_names(), ", ")));
}

}  // namespace

DataSplits load_dataset(const DataRequest& request, Shape synthetic_shape, int synthetic_classes,
                        std::uint64_t seed) {
  if (request.name == kSynthetic) return make_synthetic(synthetic_shape, synthetic_classes, seed);
  return source(request).load(request, seed);
}

DatasetInfo describe_dataset(const DataRequest& request, Shape synthetic_shape,
                             int synthetic_classes) {
  if (request.name == kSynthetic) {
    return {synthetic_shape, synthetic_classes, synthetic_train_size(synthetic_shape)};
  }
  return source(request).describe(request);
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources()) names.push_back(name);
  names.emplace_back(kSynthetic);
  return names;
}

std::vector<std::string> dataset_features(const std::string& name) {
  const auto found = sources().find(name);
  return found == sources().end() ? std::vector<std::string>{} : found->second.features;
}

}  // namespace tandem
