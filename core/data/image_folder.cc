#include "core/data/image_folder.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/data_folder.h"
#include "core/data/idx.h"
#include "core/data/pixels.h"

namespace tandem {
namespace {

constexpr int kImageClasses = 10;
constexpr Shape kPublishedShape = {1, 28, 28};

/// Base names of one split's files.
struct SplitFiles {
  const char* images;
  const char* labels;
};
constexpr SplitFiles kTrain = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
constexpr SplitFiles kTest = {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

// MNIST's files may lie in $TANDEM_DATA itself; Fashion-MNIST's, which have the same names, may
// not.
DataFolder find_images(const DataRequest& request) {
  if (request.name == "mnist") return {request, {kTrain.images, {""}, {}, {}}};
  return {request,
          {kTrain.images, {}, "dataset-fashion-mnist", "/usr/share/datasets/fashion-mnist"}};
}

Shape shape_of(const IdxArray& images) {
  return {1, static_cast<int>(images.dimensions[1]), static_cast<int>(images.dimensions[2])};
}

ByteImages read_images(const DataFolder& folder, const SplitFiles& files) {
  IdxArray images = read_idx(folder.file(files.images), 3);
  return {shape_of(images), std::move(images.values)};
}

std::vector<std::int32_t> read_labels(const std::filesystem::path& file, std::size_t images) {
  const IdxArray labels = read_idx(file, 1);
  if (labels.values.size() != images) {
    throw InputError(fmt::format("{}: has {} labels for {} images; their numbers must be equal",
                                 file.string(), labels.values.size(), images));
  }
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (labels.values[i] < kImageClasses) continue;
    throw InputError(fmt::format("{}: label {} is {}; it must be below {}", file.string(), i,
                                 labels.values[i], kImageClasses));
  }
  return {labels.values.begin(), labels.values.end()};
}

Dataset make_split(const DataFolder& folder, const SplitFiles& files, const ByteImages& images,
                   const PixelScale& scale) {
  const std::size_t count = images.pixels.size() / images.shape.elements();
  return {.shape = images.shape,
          .classes = kImageClasses,
          .images = scale(images),
          .labels = read_labels(folder.file(files.labels), count)};
}

}  // namespace

DataSplits read_image_folder(const DataRequest& request) {
  const DataFolder folder = find_images(request);
  const ByteImages train = read_images(folder, kTrain);
  const ByteImages test = read_images(folder, kTest);
  if (train.shape != test.shape) {
    throw InputError(
        fmt::format("{}: training images are {}, but test images {}; they must be equal",
                    folder.path().string(), to_string(train.shape), to_string(test.shape)));
  }
  const PixelScale scale(train);
  return {make_split(folder, kTrain, train, scale), make_split(folder, kTest, test, scale)};
}

DatasetInfo describe_image_folder(const DataRequest& request) {
  const IdxArray images = read_idx_header(find_images(request).file(kTrain.images), 3);
  return {shape_of(images), kImageClasses, images.dimensions[0]};
}

std::optional<DatasetInfo> known_of_image_folder(const DataRequest& request) {
  if (request.path) return std::nullopt;
  return DatasetInfo{kPublishedShape, kImageClasses};
}

}  // namespace tandem
