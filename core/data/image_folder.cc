#include "core/data/image_folder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "core/data/idx.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kClasses = 10;

/// Base names of one split's files.
struct SplitFiles {
  const char* images;
  const char* labels;
};
constexpr SplitFiles kTrain = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
constexpr SplitFiles kTest = {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

std::optional<fs::path> find_file(const fs::path& folder, const std::string& name) {
  for (const char* extension : {".gz", ""}) {
    fs::path file = folder / (name + extension);
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

std::string advice(const DataLocation& location) {
  if (location.path) return "set data.path to the folder that holds it";
  if (location.name == "fashion_mnist") {
    return "install Debian's package dataset-fashion-mnist, or set data.path or TANDEM_DATA";
  }
  return fmt::format(
      "set data.path to the folder that holds it, or TANDEM_DATA to the one above a "
      "folder '{}'",
      location.name);
}

fs::path require_file(const DataLocation& location, const fs::path& folder, const char* name) {
  if (auto file = find_file(folder, name)) return *file;
  throw InputError(fmt::format("data '{}': there is no {}[.gz]; {}", location.name,
                               (folder / name).string(), advice(location)));
}

// MNIST's files may lie in $TANDEM_DATA itself; Fashion-MNIST's, which have the same names, may
// not.
std::optional<fs::path> folder_in_environment(const std::string& name) {
  const char* variable = std::getenv("TANDEM_DATA");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  const fs::path root = variable;
  if (find_file(root / name, kTrain.images)) return root / name;
  if (name == "mnist") return find_file(root, kTrain.images) ? root : root / name;
  return std::nullopt;
}

IdxArray read_images(const DataLocation& location, const fs::path& folder,
                     const SplitFiles& files) {
  return read_idx(require_file(location, folder, files.images), 3);
}

Shape shape_of(const IdxArray& images) {
  return {1, static_cast<int>(images.dimensions[1]), static_cast<int>(images.dimensions[2])};
}

/// Maps a byte to the number that the network sees.
using PixelTable = std::array<float, 256>;

// The sums are whole numbers, so the same on every machine.
PixelTable normalisation(const std::vector<std::uint8_t>& pixels) {
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const std::uint8_t pixel : pixels) {
    sum += pixel;
    squares += std::uint64_t{pixel} * pixel;
  }
  const auto count = static_cast<double>(pixels.size());
  const double mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / count - mean * mean;
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  PixelTable table;
  for (int value = 0; value < 256; ++value) {
    table[value] = static_cast<float>((value - mean) / deviation);
  }
  return table;
}

std::vector<std::int32_t> read_labels(const fs::path& file, std::uint32_t images) {
  const IdxArray labels = read_idx(file, 1);
  if (labels.values.size() != images) {
    throw InputError(fmt::format("{}: has {} labels for {} images; their numbers must be equal",
                                 file.string(), labels.values.size(), images));
  }
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (labels.values[i] < kClasses) continue;
    throw InputError(fmt::format("{}: label {} is {}; it must be below {}", file.string(), i,
                                 labels.values[i], kClasses));
  }
  return {labels.values.begin(), labels.values.end()};
}

Dataset make_split(const DataLocation& location, const fs::path& folder, const SplitFiles& files,
                   const IdxArray& images, const PixelTable& table) {
  Dataset split;
  split.shape = shape_of(images);
  split.classes = kClasses;
  split.labels = read_labels(require_file(location, folder, files.labels), images.dimensions[0]);
  split.images.reserve(images.values.size());
  for (const std::uint8_t pixel : images.values) split.images.push_back(table[pixel]);
  return split;
}

}  // namespace

fs::path find_image_folder(const DataLocation& location) {
  fs::path folder;
  if (location.path) {
    folder = *location.path;
  } else if (auto found = folder_in_environment(location.name)) {
    folder = *found;
  } else if (location.name == "fashion_mnist") {
    folder = "/usr/share/datasets/fashion-mnist";
  } else {
    throw InputError(
        fmt::format("data '{}': nothing says where it is; {}", location.name, advice(location)));
  }
  require_file(location, folder, kTrain.images);
  return folder;
}

DataSplits read_image_folder(const DataLocation& location) {
  const fs::path folder = find_image_folder(location);
  const IdxArray train = read_images(location, folder, kTrain);
  const IdxArray test = read_images(location, folder, kTest);
  if (shape_of(train) != shape_of(test)) {
    throw InputError(
        fmt::format("{}: training images are {}, but test images {}; they must be equal",
                    folder.string(), to_string(shape_of(train)), to_string(shape_of(test))));
  }
  const PixelTable table = normalisation(train.values);
  return {make_split(location, folder, kTrain, train, table),
          make_split(location, folder, kTest, test, table)};
}

DatasetInfo describe_image_folder(const DataLocation& location) {
  const fs::path folder = find_image_folder(location);
  const IdxArray images = read_idx_header(require_file(location, folder, kTrain.images), 3);
  return {shape_of(images), kClasses, images.dimensions[0]};
}

}  // namespace tandem
