#include "sim/flat_cluster.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::ElementsAre;

TEST(Radical, CountsRangesAndSingleNumbers) {
  const auto radical = read_radical("4-6,9,20-1000000", 5);
  ASSERT_TRUE(radical);
  EXPECT_EQ(radical->count, 3U + 1 + 999'981);
  EXPECT_THAT(radical->first, ElementsAre(4, 5, 6, 9, 20));
  for (const char* text : {"", "a", "5-", "-5", "6-5", "1;2", "0-99999999999"}) {
    EXPECT_FALSE(read_radical(text, 3)) << text;
  }
}

std::string platform_with(const std::string& content) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><!-- radical=\"0-1\" -->" +
         content + "</platform>\n";
}

std::string cluster(const std::string& attributes, const std::string& inside = "") {
  return "<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-99\" speed=\"1Gf\" bw=\"1GBps\" "
         "lat=\"1us\" " +
         attributes + ">" + inside + "</cluster>";
}

TEST(FlatCluster, IsOneClusterWithoutATopology) {
  for (const std::string& content :
       {cluster(""), cluster("sharing_policy=\"SHARED\""),
        cluster("bb_bw=\"1GBps\" bb_lat=\"1us\"", "<prop id=\"device\" value=\"test\"/>"),
        "<zone id=\"z\" routing=\"Full\"><prop id=\"p\" value=\"q\"/>" + cluster("") + "</zone>"}) {
    const auto found = find_flat_cluster(platform_with(content));
    ASSERT_TRUE(found) << content;
    EXPECT_EQ(found->hosts(), 100U);
    EXPECT_EQ(find_flat_cluster(found->small(4)).value().hosts(), 4U);
    EXPECT_EQ(find_flat_cluster(found->small(200)).value().hosts(), 100U);
  }
}

TEST(FlatCluster, IsNoOtherPlatform) {
  const std::string host = "<host id=\"h\" speed=\"1Gf\"/>";
  for (const std::string& content :
       {cluster("topology=\"FAT_TREE\" topo_parameters=\"1;100;1;1\""),
        cluster("", "<prop id=\"role\" value=\"server\"/>"),
        cluster("", "<prop id=\"board\" value=\"a\"/>"), cluster("state_file=\"x\""),
        cluster("") + cluster(""),
        "<zone id=\"z\" routing=\"Full\">" + cluster("") + host + "</zone>",
        "<zone id=\"z\" routing=\"Full\">" + host + "</zone>"}) {
    EXPECT_FALSE(find_flat_cluster(platform_with(content))) << content;
  }
  EXPECT_FALSE(find_flat_cluster(""));
  EXPECT_FALSE(find_flat_cluster("<platform"));
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_FALSE(find_flat_cluster("<platform>" + deep));
}

TEST(FlatCluster, ChangesNoMoreThanTheNumbers) {
  const std::string property = "<prop id=\"radical\" value=\"0-99\"/>";
  const std::string platform =
      platform_with("\n<!-- radical=\"0-99\" -->\n" + cluster("", property));
  std::string expected = platform;
  expected.replace(expected.find("\"0-99\" speed"), 6, "\"0,1\"");
  EXPECT_EQ(find_flat_cluster(platform).value().small(2), expected);
}

TEST(FlatCluster, CountsTheHostsOfAllClusters) {
  EXPECT_EQ(hosts_in_ranges(""), 0U);
  EXPECT_EQ(hosts_in_ranges(cluster("") + cluster("") + "<cabinet radical =\n'5-14,20'/>"), 211U);
  EXPECT_EQ(hosts_in_ranges("radical=\"0-9"), 0U);
}

TEST(FlatCluster, LoadsItsFirstHostsAndKnowsOfAll) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    const std::string xml = platform_with(cluster("", "<prop id=\"device\" value=\"test\"/>"));
    const Engine engine({"c", xml}, Depth::kSizes, find_flat_cluster(xml).value(), 3);
    EXPECT_EQ(engine.hosts().size(), 3U);
    EXPECT_EQ(engine.hosts()[2]->get_name(), "n-2");
    EXPECT_STREQ(engine.hosts()[2]->get_property("device"), "test");
    engine.require_hosts(100);
    engine.require_hosts(101);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, testing::HasSubstr("has 100 hosts, but the scenario has 101"));
}

}  // namespace
}  // namespace tandem
