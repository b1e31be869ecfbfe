// What an explanation rests on, where that is little.

#include "core/explain/caution.h"

#include <gmock/gmock.h>

namespace tandem {
namespace {

TEST(Caution, IsToldOfASinglePeriod) {
  const std::string line = caution_of_times({1}, "trace.iterations=all");
  EXPECT_EQ(line,
            "caution: one alone may be unlike others; make it again with trace.iterations=all");
  EXPECT_LE(line.size(), 80U);  // a terminal's width
}

TEST(Caution, IsToldOfTimesThatScatter) {
  EXPECT_EQ(caution_of_times({2e-3, 1e-3}, ""),
            "caution: iteration times scatter: 10 % and 90 % quantiles 1.100 and 1.900 ms");
  EXPECT_LE(caution_of_times({0.987654321, 123.456789, 99999}, "").size(), 80U);
}

TEST(Caution, IsNotToldOfTimesThatAreAlikeOrOfOneAmongMany) {
  EXPECT_EQ(caution_of_times({1, 1.2}, ""), "");
  std::vector<Seconds> one_long(20, 1.0);
  one_long[3] = 50;
  EXPECT_EQ(caution_of_times(one_long, ""), "");
}

}  // namespace
}  // namespace tandem
