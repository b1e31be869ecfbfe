#include "core/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/core/data/files.h"
#include "tests/core/environment.h"

namespace tandem {
namespace {

constexpr const char* kData = "TANDEM_DATA";

void write_mnist(const TemporaryFolder& folder, const std::string& prefix = "") {
  folder.write_gzipped(prefix + "train-images-idx3-ubyte.gz",
                       idx_bytes({3, 1, 2}, {0, 10, 20, 30, 40, 50}));
  folder.write(prefix + "train-labels-idx1-ubyte", idx_bytes({3}, {7, 8, 9}));
  folder.write(prefix + "t10k-images-idx3-ubyte", idx_bytes({1, 1, 2}, {0, 25}));
  folder.write_gzipped(prefix + "t10k-labels-idx1-ubyte.gz", idx_bytes({1}, {3}));
}

std::string message_of(const DataRequest& location) {
  try {
    load_dataset(location, {{1, 1, 1}, 2}, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Dataset, IsKnownWithoutItsFiles) {
  const auto known = [](const DataRequest& request) {
    return known_of_dataset(request, {{1, 4, 1}, 9, 9}).value();
  };
  EXPECT_EQ(known({"cifar10", "/nowhere"}).shape, (Shape{3, 32, 32}));
  EXPECT_EQ(known({"mnist", {}}).shape, (Shape{1, 28, 28}));
  EXPECT_EQ(known({"fashion_mnist", {}}).classes, 10);
  EXPECT_EQ(known({"sdss_dr14", "/nowhere"}).shape, (Shape{9, 1, 1}));
  EXPECT_EQ(known({"sdss_dr17", {}, {"u", "g"}}).shape, (Shape{2, 1, 1}));
  EXPECT_EQ(known({"text", {}}).labels_each, 4);
  EXPECT_TRUE(known({"synthetic", {}}).has_tokens);
  EXPECT_FALSE(known_of_dataset({"mnist", "/mine"}, {}));  // may hold images of any size
}

TEST(Dataset, NormalisesByTheTrainingSplit) {
  const TemporaryFolder folder;
  write_mnist(folder);
  const DataSplits data = load_dataset({"mnist", folder.path().string()}, {}, 1);
  EXPECT_EQ(data.train.shape, (Shape{1, 1, 2}));
  EXPECT_EQ(data.train.classes, 10);
  EXPECT_THAT(data.train.labels, testing::ElementsAre(7, 8, 9));
  EXPECT_THAT(data.test.labels, testing::ElementsAre(3));
  const double deviation = std::sqrt(1750.0 / 6);  // of 0, 10, ..., 50 around 25
  ASSERT_EQ(data.train.images.size(), 6u);
  EXPECT_FLOAT_EQ(data.train.images[1], static_cast<float>(-15 / deviation));
  EXPECT_FLOAT_EQ(data.test.images[0], static_cast<float>(-25 / deviation));
  EXPECT_FLOAT_EQ(data.test.images[1], 0);
}

TEST(Dataset, DescribesWithoutReadingAll) {
  const TemporaryFolder folder;
  write_mnist(folder);
  const DatasetInfo info = describe_dataset({"mnist", folder.path().string()}, {});
  EXPECT_EQ(info.shape, (Shape{1, 1, 2}));
  EXPECT_EQ(info.classes, 10);
  EXPECT_EQ(info.train_size, 3u);
}

TEST(Dataset, LooksWhereTheEnvironmentSays) {
  const TemporaryFolder folder;
  write_mnist(folder, "mnist/");
  {
    const Environment above(kData, folder.path().c_str());
    EXPECT_EQ(load_dataset({"mnist", {}}, {}, 1).train.size(), 3u);
  }
  const Environment itself(kData, (folder.path() / "mnist").c_str());
  EXPECT_EQ(load_dataset({"mnist", {}}, {}, 1).train.size(), 3u);
}

TEST(Dataset, SaysWhereItLookedAndWhatToDo) {
  const TemporaryFolder folder;
  {
    const Environment none(kData, nullptr);
    EXPECT_THAT(message_of({"mnist", {}}), testing::HasSubstr("set data.path"));
    EXPECT_THAT(message_of({"mnist", {}}), testing::HasSubstr("TANDEM_DATA"));
  }
  const Environment empty(kData, folder.path().c_str());
  EXPECT_THAT(message_of({"mnist", {}}),
              testing::HasSubstr((folder.path() / "mnist/train-images-idx3-ubyte").string()));
  const std::string given = message_of({"fashion_mnist", (folder.path() / "none").string()});
  EXPECT_THAT(given, testing::HasSubstr((folder.path() / "none/train-images").string()));
  EXPECT_THAT(message_of({"cifar", {}}),
              testing::HasSubstr("There are cifar10, fashion_mnist, mnist, "));
}

TEST(Dataset, NamesTheFileThatIsMissingAmongOthers) {
  const TemporaryFolder folder;
  write_mnist(folder);
  std::filesystem::remove(folder.path() / "t10k-images-idx3-ubyte");
  EXPECT_THAT(message_of({"mnist", folder.path().string()}),
              testing::HasSubstr("t10k-images-idx3-ubyte"));
}

TEST(Dataset, RefusesLabelsThatDoNotFit) {
  const TemporaryFolder folder;
  write_mnist(folder);
  folder.write("train-labels-idx1-ubyte", idx_bytes({2}, {7, 8}));
  EXPECT_THAT(message_of({"mnist", folder.path().string()}),
              testing::HasSubstr("has 2 labels for 3 images"));
  folder.write("train-labels-idx1-ubyte", idx_bytes({3}, {7, 8, 10}));
  EXPECT_THAT(message_of({"mnist", folder.path().string()}),
              testing::HasSubstr("label 2 is 10; it must be below 10"));
}

TEST(Dataset, RefusesSplitsOfDifferentShape) {
  const TemporaryFolder folder;
  write_mnist(folder);
  folder.write("t10k-images-idx3-ubyte", idx_bytes({1, 2, 2}, {0, 25, 1, 2}));
  EXPECT_THAT(message_of({"mnist", folder.path().string()}),
              testing::HasSubstr("training images are 1x1x2, but test images 1x2x2"));
}

TEST(FashionMnist, IsReadFromWhereDebianInstallsIt) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "package dataset-fashion-mnist is not installed";
  }
  const Environment none(kData, nullptr);
  const DatasetInfo info = describe_dataset({"fashion_mnist", {}}, {});
  EXPECT_EQ(info.train_size, 60'000u);
  EXPECT_EQ(info.shape, (Shape{1, 28, 28}));
}

TEST(SyntheticData, IsTheSameForTheSameSeed) {
  const Shape shape{2, 5, 6};
  const DataSplits data = load_dataset({"synthetic", {}}, {shape, 3}, 9);
  EXPECT_EQ(data.train.size(), describe_dataset({"synthetic", {}}, {shape, 3}).train_size);
  EXPECT_EQ(data.train.images.size(), data.train.size() * shape.elements());
  EXPECT_EQ(data.train.images, load_dataset({"synthetic", {}}, {shape, 3}, 9).train.images);
  EXPECT_NE(data.train.images, load_dataset({"synthetic", {}}, {shape, 3}, 10).train.images);
}

// The nearest class mean of the training split tells the test split's classes.
TEST(SyntheticData, CanBeLearned) {
  const Shape shape{1, 12, 12};
  const int classes = 4;
  const DataSplits data = load_dataset({"synthetic", {}}, {shape, classes}, 3);
  const std::size_t elements = shape.elements();
  std::vector<double> means(classes * elements);
  for (std::size_t i = 0; i < data.train.size(); ++i) {
    for (std::size_t j = 0; j < elements; ++j) {
      means[data.train.labels[i] * elements + j] += data.train.images[i * elements + j] *
                                                    double(classes) /
                                                    static_cast<double>(data.train.size());
    }
  }
  std::size_t correct = 0;
  for (std::size_t i = 0; i < data.test.size(); ++i) {
    std::vector<double> distances(classes);
    for (int label = 0; label < classes; ++label) {
      for (std::size_t j = 0; j < elements; ++j) {
        const double difference = data.test.images[i * elements + j] - means[label * elements + j];
        distances[label] += difference * difference;
      }
    }
    const auto nearest = std::min_element(distances.begin(), distances.end());
    if (nearest - distances.begin() == data.test.labels[i]) ++correct;
  }
  EXPECT_GT(correct, data.test.size() * 95 / 100);
}

TEST(SyntheticData, OfLargeImagesFitsIntoMemory) {
  EXPECT_EQ(describe_dataset({"synthetic", {}}, {{3, 224, 224}, 1000}).train_size, 512u);
  EXPECT_EQ(describe_dataset({"synthetic", {}}, {{1, 28, 28}, 10}).train_size, 8192u);
}

}  // namespace
}  // namespace tandem
