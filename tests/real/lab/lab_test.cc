#include "real/lab/lab.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "real/lab/labs.h"
#include "real/lab/launch.h"
#include "real/lab/namespaces.h"

namespace tandem::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LabOptions hosts(std::optional<int> count, std::vector<std::string> rates) {
  return {.name = "test", .hosts = count, .rates = std::move(rates), .tree = "", .uplink = ""};
}

LabOptions tree(const std::string& shape, const std::string& uplink) {
  return {.name = "test", .hosts = {}, .rates = {"1 Gbit/s"}, .tree = shape, .uplink = uplink};
}

std::string error_of(const LabOptions& options) {
  try {
    read_lab(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Lab, HostsTakeTheRateForAllOrTheirOwn) {
  const Lab lab = read_lab(hosts(3, {"h3=200 Mbit/s", "1 Gbit/s"}));
  EXPECT_THAT(lab.rates, ElementsAre(125e6, 125e6, 25e6));
  EXPECT_EQ(lab.tree.racks, 0);
}

TEST(Lab, ATreeFillsItsRacksInOrder) {
  const Lab lab = read_lab(tree("2x3", "500 Mbit/s"));
  EXPECT_EQ(lab.hosts(), 6);
  EXPECT_EQ(lab.tree.uplink, 62.5e6);
  EXPECT_EQ(lab.rack_of(2), 0);
  EXPECT_EQ(lab.rack_of(3), 1);
}

TEST(Lab, IsWhatItWasWrittenDownAs) {
  const Lab lab = read_lab(tree("3x2", "2 Gbit/s"));
  const Lab again = lab_from_json(to_json(lab));
  EXPECT_EQ(again.name, lab.name);
  EXPECT_EQ(again.rates, lab.rates);
  EXPECT_EQ(again.tree.racks, lab.tree.racks);
  EXPECT_EQ(again.tree.uplink, lab.tree.uplink);
  EXPECT_EQ(again.processors, lab.processors);
}

TEST(Lab, HostsTakeProcessorsByTurns) {
  const std::vector<double> rates(3, 125e6);
  const Lab few{.name = "test", .rates = rates, .tree = {}, .processors = {4, 6}};
  EXPECT_THAT(processors_of(few, 0), ElementsAre(4));
  EXPECT_THAT(processors_of(few, 1), ElementsAre(6));
  EXPECT_THAT(processors_of(few, 2), ElementsAre(4));
  const Lab many{.name = "test", .rates = rates, .tree = {}, .processors = {0, 1, 2, 3, 8}};
  EXPECT_THAT(processors_of(many, 0), ElementsAre(0, 3));
  EXPECT_THAT(processors_of(many, 1), ElementsAre(1, 8));
  EXPECT_THAT(processors_of(many, 2), ElementsAre(2));
  const Lab unknown{.name = "test", .rates = rates, .tree = {}, .processors = {}};
  EXPECT_THAT(processors_of(unknown, 0), testing::IsEmpty());
}

TEST(LabMistakes, ANameIsNoPath) {
  for (const char* name : {"../lab", "/tmp/lab", "a b", "$(id)", "", "--all"}) {
    try {
      require_lab(name);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("--name is '" + std::string(name) + "', but has to be"));
    }
  }
}

TEST(LabMistakes, NameTheOptionAndWhatWouldBeRight) {
  const std::string rate = "1 Gbit/s";
  EXPECT_EQ(error_of(hosts({}, {rate})), "give --hosts, such as --hosts 4, or --tree");
  EXPECT_EQ(error_of(hosts(0, {rate})), "--hosts is 0, but has to be from 1 to 200");
  EXPECT_EQ(error_of(hosts(201, {rate})), "--hosts is 201, but has to be from 1 to 200");
  EXPECT_EQ(error_of(hosts(2, {rate, rate})), "--rate for all hosts is given twice; keep one");
  EXPECT_EQ(error_of(hosts(2, {rate, "h2=1 Mbit/s", "h2=1 Mbit/s"})),
            "--rate for h2 is given twice; keep one");
  EXPECT_EQ(error_of(hosts(2, {"fast"})),
            "--rate is 'fast', but has to be a rate, such as '1 Gbit/s'");
  EXPECT_EQ(error_of(hosts(2, {"0"})), "--rate is '0', but has to be a rate, such as '1 Gbit/s'");
  EXPECT_EQ(error_of(hosts(2, {"1e300 Gbit/s"})),
            "--rate is '1e300 Gbit/s', but has to be from 100 kbit/s to 1 Tbit/s");
  EXPECT_EQ(error_of(hosts(2, {"1 bit/s"})),
            "--rate is '1 bit/s', but has to be from 100 kbit/s to 1 Tbit/s");
  EXPECT_EQ(error_of(hosts(2, {rate, "h01=1 Gbit/s"})),
            "--rate is 'h01=1 Gbit/s', but the hosts are h1 to h2");
  EXPECT_EQ(error_of(hosts(2, {rate, "h3=1 Gbit/s"})),
            "--rate is 'h3=1 Gbit/s', but the hosts are h1 to h2");
  EXPECT_EQ(error_of(hosts(2, {"h1=1 Gbit/s"})),
            "no --rate for h2; give one for all, such as --rate '1 Gbit/s'");
  EXPECT_EQ(error_of(tree("2by3", rate)),
            "--tree is '2by3', but has to be racks x hosts of each, such as 2x3: two racks "
            "or more, and 200 hosts at most");
  EXPECT_EQ(error_of(tree("1x3", rate)),
            "--tree is '1x3', but has to be racks x hosts of each, such as 2x3: two racks "
            "or more, and 200 hosts at most");
  EXPECT_EQ(error_of(tree("2x3", "")),
            "--tree needs the rate of its uplinks, such as --uplink '1 Gbit/s'");
  LabOptions options = tree("2x3", rate);
  options.hosts = 5;
  EXPECT_EQ(error_of(options), "--hosts is 5, but --tree 2x3 has 6; leave --hosts out");
  options = hosts(2, {rate});
  options.uplink = rate;
  EXPECT_THAT(error_of(options), HasSubstr("--uplink is for trees"));
  options = hosts(2, {rate});
  options.name = "my-lab";
  EXPECT_EQ(error_of(options),
            "--name is 'my-lab', but has to be 1 to 20 small letters and digits");
}

// Or taking one lab down could take another with it.
TEST(Namespaces, OfTwoLabsAreToldApart) {
  EXPECT_EQ(namespace_of("a", "h1"), "tdm-a-h1");
  EXPECT_NE(namespace_of("a", "h11"), namespace_of("a1", "h1"));
}

TEST(LabLaunch, PutsEachRankOnItsPlace) {
  const Lab lab = read_lab(hosts(3, {"1 Gbit/s"}));
  const auto list = [&](int ranks, const std::vector<int>& places) {
    const auto words = mpirun_command(lab, ranks, places, {"program"});
    return *(std::ranges::find(words, "--host") + 1);
  };
  EXPECT_EQ(list(3, {}), "test-h1,test-h2,test-h3");
  EXPECT_EQ(list(4, {0, 1, 2, 1}), "test-h1,test-h2,test-h3,test-h2");
}

TEST(LabLaunch, NeedsAsManyHostsAsTheRunTakes) {
  const Lab lab = read_lab(hosts(3, {"1 Gbit/s"}));
  EXPECT_THROW(mpirun_command(lab, 4, {}, {"program"}), InputError);
  EXPECT_THROW(mpirun_command(lab, 2, {0, 3}, {"program"}), InputError);
  EXPECT_THROW(mpirun_command(lab, 3, {0, 1}, {"program"}), InputError);
}

}  // namespace
}  // namespace tandem::lab
