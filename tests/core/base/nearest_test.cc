#include "core/base/nearest.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("ring", "ring"), 0);
  EXPECT_EQ(edit_distance("", "ring"), 4);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("rign", "ring"), 1);  // a swap is one edit
  EXPECT_EQ(edit_distance("ResNet50", "resnet50"), 0);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // no part is edited twice
}

// Otherwise it would take a gigabyte for three megabytes, and all memory for two such words.
TEST(EditDistance, OfWordsThatNobodyMistypedIsTheirLength) {
  const std::string longest(3'000'000, 'x'), other(3'000'001, 'x');
  EXPECT_EQ(edit_distance(longest, "ring"), 3'000'000);
  EXPECT_EQ(edit_distance(longest, other), 3'000'001);
  EXPECT_EQ(edit_distance(longest, longest), 0);
}

TEST(Nearest, HasTheFewestEdits) {
  EXPECT_EQ(nearest("resnt50", {"alexnet", "resnet152", "resnet50"}), "resnet50");
  EXPECT_EQ(nearest("x", {"a", "b"}), "a");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Suggestion, IsNoneWhereMoreThanHalfOfTheLettersDiffer) {
  EXPECT_EQ(suggestion("--hosst", {"--hosts", "--rate"}), "; did you mean '--hosts'?");
  EXPECT_EQ(suggestion("--frob", {"--jobs", "--out"}), "");
  EXPECT_EQ(hint("--lab", {"--max", "--out"}), "known: --max, --out");
}

}  // namespace
}  // namespace tandem
