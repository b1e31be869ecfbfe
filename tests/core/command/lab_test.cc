#include "core/command/lab.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

const std::string kPlatform = R"(<platform version="4.1">
  <zone id="lab" routing="Cluster">
    <host id="h1" speed="1Gf"><prop id="processor" value="0"/></host>
    <link id="h1_link_UP" bandwidth="1MBps" latency="25us"><prop id="burst" value="1"/></link>
    <host_link id="h1" up="h1_link_UP" down="h1_link_DOWN"/>
  </zone>
</platform>
)";

std::string with_calibration(const std::string& host) {
  return R"(<platform version="4.1">
  <zone id="lab" routing="Cluster">
  <prop id="calibration" value="c.yaml"/>
    )" + host +
         R"(
    <link id="h1_link_UP" bandwidth="1MBps" latency="25us"><prop id="burst" value="1"/></link>
    <host_link id="h1" up="h1_link_UP" down="h1_link_DOWN"/>
  </zone>
</platform>
)";
}

TEST(CalibratedPlatform, NamesTheCalibrationAlone) {
  EXPECT_EQ(
      calibrated_platform(kPlatform, "c.yaml", ""),
      with_calibration(R"(<host id="h1" speed="1Gf"><prop id="processor" value="0"/></host>)"));
}

TEST(CalibratedPlatform, NamesTheDeviceThatWasMeasured) {
  EXPECT_EQ(
      calibrated_platform(kPlatform, "c.yaml", "mine"),
      with_calibration(
          R"(<host id="h1" speed="1Gf"><prop id="processor" value="0"/><prop id="device" value="mine"/></host>)"));
}

std::string with_processors(const std::vector<std::string>& processors) {
  std::string text;
  for (const std::string& processor : processors)
    text +=
        R"(<host id="h" speed="1Gf"><prop id="processor" value=")" + processor + "\"/></host>\n";
  return text;
}

TEST(CalibratedPlatform, TellsWhoSharesTheFirstHostsProcessor) {
  EXPECT_EQ(shares_with_first_host(kPlatform), std::nullopt);
  EXPECT_EQ(shares_with_first_host(with_processors({"0", "1", "2"})), std::nullopt);
  EXPECT_EQ(shares_with_first_host(with_processors({"0", "1", "0", "1"})), 2);
  EXPECT_EQ(shares_with_first_host(with_processors({"1", "1"})), 1);
}

TEST(CalibratedPlatform, IsLikeTheLabButForWhatCalibrationsAdd) {
  EXPECT_EQ(unlike_lab(calibrated_platform(kPlatform, "c.yaml", "mine"), kPlatform), std::nullopt);
  const auto with = [](const std::string& was, const std::string& is) {
    std::string text = kPlatform;
    return text.replace(text.find(was), was.size(), is);
  };
  EXPECT_EQ(unlike_lab(with("1MBps", "2MBps"), kPlatform), "h1_link_UP");
  EXPECT_EQ(unlike_lab(with("value=\"0\"", "value=\"1\""), kPlatform), "h1");
  EXPECT_EQ(unlike_lab(with("h1\"", "h2\""), kPlatform), "h1");
  EXPECT_EQ(unlike_lab("<cluster id=\"other\" radical=\"0-5\"/>", kPlatform), "h1");
}

}  // namespace
}  // namespace tandem
