#include "core/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/data/cifar10.h"
#include "core/data/image_folder.h"
#include "core/data/sdss.h"
#include "core/data/synthetic.h"
#include "core/data/text.h"

namespace tandem {
namespace {

/// A data set that is read from files.
struct Source {
  std::function<DataSplits(const DataRequest&, const SampleForm&, std::uint64_t seed)> load;
  std::function<DatasetInfo(const DataRequest&, const SampleForm&)> describe;
  std::function<std::optional<DatasetInfo>(const DataRequest&, const SampleForm&)> known;
  std::vector<std::string> features = {};
  bool has_images = false;
};

Source images(DataSplits (*read)(const DataRequest&), DatasetInfo (*describe)(const DataRequest&),
              std::optional<DatasetInfo> (*known)(const DataRequest&)) {
  return {[read](const DataRequest& request, auto&&...) { return read(request); },
          [describe](const DataRequest& request, auto&&...) { return describe(request); },
          [known](const DataRequest& request, auto&&...) { return known(request); },
          {},
          true};
}

Source objects() {
  return {[](const DataRequest& request, const SampleForm&, std::uint64_t seed) {
            return read_sdss(request, seed);
          },
          [](const DataRequest& request, const SampleForm&) { return describe_sdss(request); },
          [](const DataRequest& request, const SampleForm&) { return known_of_sdss(request); },
          sdss_features()};
}

Source text() {
  return {
      [](const DataRequest& request, const SampleForm& form, std::uint64_t) {
        return read_text(request, form.shape.height);
      },
      [](const DataRequest& request, const SampleForm& form) {
        return describe_text(request, form.shape.height);
      },
      [](const DataRequest&, const SampleForm& form) { return known_of_text(form.shape.height); }};
}

const std::map<std::string, Source>& sources() {
  static const std::map<std::string, Source> kSources = {
      {"cifar10", images(read_cifar10, describe_cifar10, known_of_cifar10)},
      {"fashion_mnist", images(read_image_folder, describe_image_folder, known_of_image_folder)},
      {"mnist", images(read_image_folder, describe_image_folder, known_of_image_folder)},
      {"sdss_dr14", objects()},
      {"sdss_dr17", objects()},
      {"text", text()},
  };
  return kSources;
}

constexpr const char* kSynthetic = "synthetic";

const Source& source(const DataRequest& request) {
  const auto found = sources().find(request.name);
  if (found != sources().end()) return found->second;
  throw InputError(fmt::format("data '{}' is not known{} There are {}", request.name,
                               suggestion(request.name, dataset_names(), "."),
                               fmt::join(dataset_names(), ", ")));
}

}  // namespace

DataSplits load_dataset(const DataRequest& request, const SampleForm& form, std::uint64_t seed) {
  if (request.name == kSynthetic) return make_synthetic(form, seed);
  return source(request).load(request, form, seed);
}

DatasetInfo describe_dataset(const DataRequest& request, const SampleForm& form) {
  if (request.name == kSynthetic) return describe_synthetic(form);
  return source(request).describe(request, form);
}

std::optional<DatasetInfo> known_of_dataset(const DataRequest& request, const SampleForm& form) {
  if (request.name == kSynthetic) return describe_synthetic(form);
  return source(request).known(request, form);
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources()) names.push_back(name);
  names.emplace_back(kSynthetic);
  std::ranges::sort(names);
  return names;
}

bool dataset_has_files(const std::string& name) {
  return sources().contains(name);
}

bool dataset_has_images(const std::string& name) {
  const auto found = sources().find(name);
  return found != sources().end() && found->second.has_images;
}

std::vector<std::string> dataset_features(const std::string& name) {
  const auto found = sources().find(name);
  return found == sources().end() ? std::vector<std::string>{} : found->second.features;
}

}  // namespace tandem
