#include "sim/line.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

struct Item {
  std::uint64_t id;
};

bool nobody(const Item*) {
  return false;
}

TEST(Line, TakesTurns) {
  Line<Item> line;
  Item first{1}, second{2}, third{3};
  EXPECT_TRUE(line.admit(first));
  EXPECT_FALSE(line.admit(second));
  EXPECT_EQ(line.next(2), nullptr) << "it does not go yet";
  EXPECT_EQ(line.next_before(first, nobody), &second);
  EXPECT_FALSE(line.admit(third));
  EXPECT_EQ(line.next(2), &first) << "once more";
  EXPECT_EQ(line.next(1), &third);
  EXPECT_EQ(line.next_before(third, nobody), &third) << "nobody else waits";
  EXPECT_EQ(line.next(3), nullptr);
  EXPECT_TRUE(line.admit(second));
}

TEST(Line, OneThatGoesOnceMoreIsBeforeThoseThatFollowIt) {
  Line<Item> line;
  Item first{1}, second{2}, third{3};
  line.admit(first);
  line.admit(second);
  line.admit(third);
  EXPECT_EQ(line.next_before(first, [&](const Item* item) { return item == &third; }), &second);
  EXPECT_EQ(line.next(2), &first);
  EXPECT_EQ(line.next(1), &third);
}

TEST(Line, IsLeftByWhoWaitsOrGoes) {
  Line<Item> line;
  Item first{1}, second{2}, third{3};
  line.admit(first);
  line.admit(second);
  line.admit(third);
  EXPECT_EQ(line.leave(second), nullptr);
  EXPECT_EQ(line.leave(first), &third);
  EXPECT_EQ(line.leave(third), nullptr);
  EXPECT_TRUE(line.admit(first));
}

}  // namespace
}  // namespace tandem
