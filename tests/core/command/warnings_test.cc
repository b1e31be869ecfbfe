#include "core/command/warnings.h"

#include <gmock/gmock.h>

namespace tandem {
namespace {

PointResult warning_of(const std::string& text) {
  PointResult result;
  result.summary.world = "simulated";
  result.environment["warnings"] = {text};
  return result;
}

TEST(Warnings, ComeInTheOrderOfTheirPoints) {
  Warnings warnings;
  warnings.add(11, warning_of("a 12"));  // which ended first
  warnings.add(9, warning_of("z 10"));
  warnings.add(10, warning_of("b 11"));
  warnings.add(3, warning_of("z 10"));
  testing::internal::CaptureStdout();
  warnings.print(12);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "warning: points 4,10 of 12: z 10\n"
            "warning: point 11 of 12: b 11\n"
            "warning: point 12 of 12: a 12\n");
}

}  // namespace
}  // namespace tandem
