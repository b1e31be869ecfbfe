#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

constexpr std::size_t kPlane = 32 * 32;

/// A row of the binary version: a label, and planes of one value each.
std::string row(int label, int red, int green, int blue) {
  std::string bytes(1, static_cast<char>(label));
  for (const int value : {red, green, blue}) bytes.append(kPlane, static_cast<char>(value));
  return bytes;
}

class Cifar10 : public testing::Test {
 protected:
  Cifar10() {
    for (int i = 1; i <= 5; ++i) {
      folder_.write("data_batch_" + std::to_string(i) + ".bin", row(i, 10 * i, 7, 200 + i));
    }
    folder_.write("test_batch.bin", row(0, 30, 8, 203) + row(9, 0, 7, 203));
  }

  DataSplits load() const { return load_dataset(request_, {}, 1); }

  std::string message() const {
    try {
      load();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  const DataRequest request_{"cifar10", folder_.path().string()};
};

TEST_F(Cifar10, ReadsRowsAndNormalisesEachChannelByTheTrainingSplit) {
  const DataSplits data = load();
  EXPECT_EQ(data.train.shape, (Shape{3, 32, 32}));
  EXPECT_EQ(data.train.classes, 10);
  EXPECT_THAT(data.train.labels, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(data.test.labels, testing::ElementsAre(0, 9));
  const std::size_t elements = 3 * kPlane;
  ASSERT_EQ(data.train.images.size(), 5 * elements);
  const auto root = static_cast<float>(std::sqrt(2.0));  // the deviation of 1 to 5
  EXPECT_FLOAT_EQ(data.train.images[0], -2 / root);
  EXPECT_FLOAT_EQ(data.train.images[4 * elements + kPlane - 1], 2 / root);
  EXPECT_FLOAT_EQ(data.train.images[kPlane], 0) << "a channel of one value has no deviation";
  EXPECT_FLOAT_EQ(data.train.images[2 * kPlane], -2 / root);
  EXPECT_FLOAT_EQ(data.test.images[kPlane], 1);
  EXPECT_FLOAT_EQ(data.test.images[elements], -3 / root);
}

TEST_F(Cifar10, ReadsGzippedFilesAndDescribes) {
  folder_.write_gzipped("data_batch_2.bin.gz", row(2, 1, 2, 3) + row(7, 1, 2, 3));
  const DatasetInfo info = describe_dataset(request_, {});
  EXPECT_EQ(info.shape, (Shape{3, 32, 32}));
  EXPECT_EQ(info.classes, 10);
  EXPECT_EQ(info.train_size, 6U);
  EXPECT_EQ(load().train.size(), 6U);
}

TEST_F(Cifar10, NamesTheFileAtFault) {
  folder_.write("data_batch_3.bin", row(3, 1, 2, 3).substr(0, 3000));
  EXPECT_THAT(message(),
              testing::AllOf(testing::HasSubstr("data_batch_3.bin: is truncated"),
                             testing::HasSubstr("3000 bytes"), testing::HasSubstr("3073")));
  folder_.write("data_batch_3.bin", "");
  EXPECT_THAT(message(), testing::HasSubstr("data_batch_3.bin: is empty"));
  folder_.write("data_batch_3.bin", row(3, 1, 2, 3) + row(10, 1, 2, 3));
  EXPECT_THAT(message(), testing::HasSubstr("label 1 is 10; it must be below 10"));
  std::filesystem::remove(folder_.path() / "data_batch_3.bin");
  EXPECT_THAT(message(), testing::AllOf(testing::HasSubstr("there is no"),
                                        testing::HasSubstr("data_batch_3.bin[.gz]")));
}

TEST_F(Cifar10, NeedsTheTestBatch) {
  std::filesystem::remove(folder_.path() / "test_batch.bin");
  EXPECT_THAT(message(), testing::HasSubstr("test_batch.bin[.gz]; set data.path"));
}

}  // namespace
}  // namespace tandem
