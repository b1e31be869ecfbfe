#include "core/base/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

TEST(Units, BytesHaveDecimalAndBinaryPrefixes) {
  EXPECT_EQ(parse_bytes("25 MB"), 25e6);
  EXPECT_EQ(parse_bytes("25MiB"), 25.0 * 1024 * 1024);
  EXPECT_EQ(parse_bytes(" 1.5 kB "), 1500);
  EXPECT_EQ(parse_bytes("7 B"), 7);
  EXPECT_EQ(parse_bytes("2 TB"), 2e12);
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_TRUE(std::isinf(*parse_bytes("inf")));
}

TEST(Units, BandwidthsAreBytesASecond) {
  EXPECT_EQ(parse_bandwidth("1 Gbit/s"), 125e6);
  EXPECT_EQ(parse_bandwidth("1 Gbps"), 125e6);
  EXPECT_EQ(parse_bandwidth("125 MB/s"), 125e6);
  EXPECT_EQ(parse_bandwidth("125 MBps"), 125e6);
  EXPECT_EQ(parse_bandwidth("8 bit/s"), 1);
  EXPECT_EQ(parse_bandwidth("1 KiB/s"), 1024);
}

TEST(Units, BandwidthsAreWrittenAsTheyAreRead) {
  for (const char* text : {"8 bit/s", "40 kbit/s", "200 Mbit/s", "1.5 Gbit/s", "1 Tbit/s"})
    EXPECT_EQ(bandwidth_text(*parse_bandwidth(text)), text);
}

TEST(Units, TimesAreSeconds) {
  EXPECT_DOUBLE_EQ(*parse_seconds("50 us"), 50e-6);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5 ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(*parse_seconds("20ns"), 20e-9);
  EXPECT_EQ(parse_seconds("3 min"), 180);
  EXPECT_EQ(parse_seconds("1 h"), 3600);
}

TEST(Units, NothingElseIsAQuantity) {
  for (const char* text :
       {"", "MB", "25", "25 mb", "25 QB", "-1 MB", "nan MB", "25 MB/s", "1 2 MB"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"1 Gbit", "1 GB", "1 s", "1 /s", "1 Xbit/s"})
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  for (const char* text : {"1", "1 m", "1 sec", "-1 s"}) EXPECT_FALSE(parse_seconds(text)) << text;
}

}  // namespace
}  // namespace tandem
