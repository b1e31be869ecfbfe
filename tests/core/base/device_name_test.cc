#include "core/base/device_name.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(DeviceName, OfAPacedDeviceNamesItsProfile) {
  EXPECT_TRUE(is_paced("paced:k80"));
  EXPECT_EQ(profile_name("paced:k80"), "k80");
  EXPECT_EQ(profile_name("paced:devices/slow.yaml"), "devices/slow.yaml");
}

TEST(DeviceName, OfOthersIsTheirProfile) {
  EXPECT_FALSE(is_paced("k80"));
  EXPECT_FALSE(is_paced("paced"));
  EXPECT_EQ(profile_name("k80"), "k80");
}

TEST(DeviceName, MayBeWhatARealRunComputesOn) {
  EXPECT_TRUE(is_computing("cuda"));
  EXPECT_TRUE(is_computing("cpu"));
  EXPECT_FALSE(is_computing("k80"));
  EXPECT_FALSE(is_computing("paced:cuda"));
}

}  // namespace
}  // namespace tandem
