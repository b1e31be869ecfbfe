#include "core/data/cifar10.h"

#include <fmt/format.h>

#include "core/data/data_folder.h"
#include "core/data/input_file.h"
#include "core/data/pixels.h"

namespace tandem {
namespace {

constexpr int kClasses = 10;
constexpr Shape kShape = {3, 32, 32};
constexpr std::size_t kRowBytes = 1 + 3 * 32 * 32;
constexpr int kTrainFiles = 5;
constexpr const char* kTestFile = "test_batch.bin";

std::string train_file(int number) {
  return fmt::format("data_batch_{}.bin", number);
}

DataFolder find_folder(const DataRequest& request) {
  return {request, {train_file(1), {"cifar-10-batches-bin", "cifar-10", ""}, {}, {}}};
}

struct Samples {
  ByteImages images{kShape, {}};
  std::vector<std::int32_t> labels;
};

void append(const std::filesystem::path& path, Samples& samples) {
  InputFile file(path);
  const std::vector<std::uint8_t> bytes = file.read_rest();
  if (bytes.empty()) file.fail("is empty");
  if (bytes.size() % kRowBytes != 0) {
    file.fail(
        fmt::format("is truncated, or no file of CIFAR-10: its {} bytes are no multiple of "
                    "the {} of a label and 3x32x32 pixels",
                    bytes.size(), kRowBytes));
  }
  for (auto row = bytes.begin(); row != bytes.end(); row += kRowBytes) {
    if (*row >= kClasses) {
      file.fail(fmt::format("label {} is {}; it must be below {}",
                            (row - bytes.begin()) / kRowBytes, *row, kClasses));
    }
    samples.labels.push_back(*row);
    samples.images.pixels.insert(samples.images.pixels.end(), row + 1, row + kRowBytes);
  }
}

Samples read_train(const DataFolder& folder) {
  Samples samples;
  for (int i = 1; i <= kTrainFiles; ++i) append(folder.file(train_file(i)), samples);
  return samples;
}

Dataset make_split(Samples samples, const PixelScale& scale) {
  return {.shape = kShape,
          .classes = kClasses,
          .images = scale(samples.images),
          .labels = std::move(samples.labels)};
}

}  // namespace

DataSplits read_cifar10(const DataRequest& request) {
  const DataFolder folder = find_folder(request);
  Samples train = read_train(folder);
  Samples test;
  append(folder.file(kTestFile), test);
  const PixelScale scale(train.images);
  return {make_split(std::move(train), scale), make_split(std::move(test), scale)};
}

DatasetInfo describe_cifar10(const DataRequest& request) {
  return {kShape, kClasses, read_train(find_folder(request)).labels.size()};
}

std::optional<DatasetInfo> known_of_cifar10(const DataRequest&) {
  return DatasetInfo{kShape, kClasses};
}

}  // namespace tandem
