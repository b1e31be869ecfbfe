#include "core/data/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

using testing::ElementsAre;

/// 36 bytes of a, b and c to train on, and 4 to test.
const std::string kText = "cabcabcabcabcabcabcabcabcabcabcabcabb?ac";

TEST(Text, IsCutIntoSamplesWhoseLabelsAreTheNextTokens) {
  const TemporaryFolder folder;
  const DataSplits data = read_text({"text", folder.write("any.txt", kText).string()}, 2);
  EXPECT_EQ(data.train.shape, (Shape{1, 2, 1}));
  EXPECT_EQ(data.train.classes, 3);
  ASSERT_EQ(data.train.size(), 17U);  // the 36th byte is in none
  EXPECT_THAT(std::vector(data.train.images.begin(), data.train.images.begin() + 6),
              ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_THAT(std::vector(data.train.labels.begin(), data.train.labels.begin() + 6),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_EQ(data.train.labels.size(), 34U);
}

TEST(Text, LeavesOutWhatOnlyTheTestPartHas) {
  const TemporaryFolder folder;
  const DataSplits data = read_text({"text", folder.write("any.txt", kText).string()}, 1);
  EXPECT_THAT(data.test.images, ElementsAre(1, 0));
  EXPECT_THAT(data.test.labels, ElementsAre(0, 2));
  EXPECT_EQ(data.test.classes, 3);
}

TEST(Text, IsDescribedAsItIsRead) {
  const TemporaryFolder folder;
  const DataRequest request{"text", folder.write("any.txt", kText).string()};
  for (const int sequence : {1, 2, 35}) {
    const DatasetInfo info = describe_text(request, sequence);
    EXPECT_EQ(info.train_size, 35U / static_cast<unsigned>(sequence));
    EXPECT_EQ(info.classes, 3);
    EXPECT_EQ(info.labels_each, sequence);
    EXPECT_TRUE(info.has_tokens);
  }
}

TEST(Text, OfAFolderIsTinyShakespeare) {
  const TemporaryFolder folder;
  folder.write_gzipped("tinyshakespeare.txt.gz", kText);
  const DataRequest request{"text", folder.path().string()};
  EXPECT_EQ(load_dataset(request, {{1, 2, 1}, 3, 3}, 1).train.size(), 17U);
}

std::string error(const DataRequest& request, int sequence) {
  try {
    read_text(request, sequence);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BadText, IsNamed) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty.txt", "").string();
  EXPECT_EQ(error({"text", empty}, 4), empty + ": is empty; it must be a text");
  const std::string text = folder.write("any.txt", kText).string();
  EXPECT_EQ(error({"text", text}, 36), text +
                                           ": has 36 tokens to train on; a sample takes 37, one "
                                           "more than model.sequence; take a longer text or a "
                                           "shorter sequence");
  EXPECT_THAT(error({"text", text}, 3), testing::StartsWith(text + ": has 3 tokens to test with"));
  EXPECT_THAT(
      error({"text", folder.path().string()}, 4),
      testing::HasSubstr("there is no " + (folder.path() / "tinyshakespeare.txt").string()));
}

TEST(SyntheticTokens, AreMostlyFollowedByTheirSuccessor) {
  const SampleForm form{{1, 16, 1}, 7, 7};
  const DataSplits data = load_dataset({"synthetic", {}}, form, 5);
  EXPECT_EQ(data.train.size(), describe_dataset({"synthetic", {}}, form).train_size);
  EXPECT_EQ(data.train.labels_each, 16);
  std::vector<std::vector<int>> followed(7, std::vector<int>(7));
  for (std::size_t i = 0; i < data.train.labels.size(); ++i) {
    const int next = data.train.labels[i];
    ++followed.at(static_cast<std::size_t>(data.train.images[i])).at(next);
    if ((i + 1) % 16 == 0) continue;
    ASSERT_EQ(data.train.images[i + 1], static_cast<float>(next));
  }
  for (const std::vector<int>& counts : followed) {
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    EXPECT_NEAR(*std::ranges::max_element(counts) / all, 0.75 + 0.25 / 7, 0.02);
  }
  EXPECT_NE(data.train.images, load_dataset({"synthetic", {}}, form, 6).train.images);
}

}  // namespace
}  // namespace tandem
