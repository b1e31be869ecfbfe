#include "core/base/number_range.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(NumberRange, IsOneNumberOrTwo) {
  for (const auto& [text, first, last] :
       {std::tuple("7", 7U, 7U), std::tuple("0-3", 0U, 3U), std::tuple("9-2", 9U, 2U)}) {
    const auto range = parse_number_range(text);
    ASSERT_TRUE(range) << text;
    EXPECT_EQ(range->first, first);
    EXPECT_EQ(range->last, last);
  }
}

TEST(NumberRange, IsNothingElse) {
  for (const char* text :
       {"", "-", "-1", "1-", "a", "1a", "1-2-3", "+1", " 1", "1.5", "99999999999999999999999"}) {
    EXPECT_FALSE(parse_number_range(text)) << text;
  }
}

}  // namespace
}  // namespace tandem
