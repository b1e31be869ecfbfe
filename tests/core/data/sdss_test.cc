#include "core/data/sdss.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

constexpr const char* kDr14 =
    "objid,ra,dec,u,g,r,i,z,run,rerun,camcol,field,specobjid,class,redshift,plate,mjd,fiberid\n";
constexpr const char* kDr17 = "alpha,delta,u,g,r,i,z,class,redshift,MJD\n";

std::string dr14_row(int number, const std::string& type) {
  return fmt::format(
      "1.23765E+18,183.5,0.09,{},17,16,15.5,15.2,752,301,4,267,3.7E+18,{},{}E-01,"
      "3306,54922,491\n",
      number, type, number);
}

/// Of each class some objects, one class after the other; u counts up.
std::string dr14(int galaxies, int quasars, int stars) {
  std::string text = kDr14;
  int number = 0;
  for (const auto& [type, count] :
       {std::pair("GALAXY", galaxies), {"QSO", quasars}, {"STAR", stars}}) {
    for (int i = 0; i < count; ++i) text += dr14_row(++number, type);
  }
  return text;
}

class Sdss : public testing::Test {
 protected:
  DataRequest request(const std::string& content, std::vector<std::string> features = {}) const {
    return {"sdss_dr14", folder_.write("objects.csv", content).string(), std::move(features)};
  }

  std::string message(const DataRequest& request) const {
    try {
      load_dataset(request, {}, 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(Sdss, HoldsOutAFifthOfEachClass) {
  const DataRequest wanted = request(dr14(50, 10, 25), {"u"});
  const DataSplits data = load_dataset(wanted, {}, 3);
  EXPECT_EQ(data.train.shape, (Shape{1, 1, 1}));
  EXPECT_EQ(data.train.classes, 3);
  const auto counts = [](const Dataset& split) {
    return std::vector{std::ranges::count(split.labels, 0), std::ranges::count(split.labels, 1),
                       std::ranges::count(split.labels, 2)};
  };
  EXPECT_THAT(counts(data.train), testing::ElementsAre(40, 8, 20));
  EXPECT_THAT(counts(data.test), testing::ElementsAre(10, 2, 5));
  EXPECT_EQ(describe_dataset(wanted, {}).train_size, 68U);
  std::set<float> seen(data.train.images.begin(), data.train.images.end());
  seen.insert(data.test.images.begin(), data.test.images.end());
  EXPECT_EQ(seen.size(), 85U) << "no object is in both splits";
}

TEST_F(Sdss, TheSeedDrawsTheTestSplit) {
  const DataRequest wanted = request(dr14(50, 10, 25), {"u"});
  const auto test = [&](std::uint64_t seed) { return load_dataset(wanted, {}, seed).test.images; };
  EXPECT_EQ(test(3), test(3));
  EXPECT_NE(test(3), test(4));
}

// The test split's own mean and deviation are others.
TEST_F(Sdss, StandardisesByTheTrainingSplitAlone) {
  const DataSplits data = load_dataset(request(dr14(20, 20, 20), {"redshift", "u"}), {}, 1);
  const auto moments = [](const Dataset& split, std::size_t feature) {
    double sum = 0, squares = 0;
    for (std::size_t i = feature; i < split.images.size(); i += 2) {
      sum += split.images[i];
      squares += double(split.images[i]) * split.images[i];
    }
    const auto size = static_cast<double>(split.size());
    return std::pair(sum / size, squares / size);
  };
  for (const std::size_t feature : {0, 1}) {
    EXPECT_NEAR(moments(data.train, feature).first, 0, 1e-6);
    EXPECT_NEAR(moments(data.train, feature).second, 1, 1e-6);
    EXPECT_GT(std::abs(moments(data.test, feature).second - 1), 1e-3);
  }
}

TEST_F(Sdss, TakesAllFeaturesUnlessToldWhich) {
  EXPECT_EQ(describe_dataset(request(dr14(5, 5, 5)), {}).shape, (Shape{9, 1, 1}));
  EXPECT_EQ(describe_dataset(request(dr14(5, 5, 5), {"g", "r"}), {}).shape, (Shape{2, 1, 1}));
}

TEST_F(Sdss, ReadsTheColumnsOfDr17AndLeavesOutWhatWasNotMeasured) {
  std::string text = kDr17;
  for (int i = 0; i < 10; ++i)
    text += fmt::format("{},32.5,23.9,22,20,19,18,STAR,0.6,56354\r\n", i);
  text += "144,31,-9999,-9999,22,21,-9999,STAR,0.7,58158\n";
  EXPECT_EQ(load_dataset(request(text), {}, 1).train.size(), 8U);
  EXPECT_EQ(load_dataset(request(text, {"ra", "mjd", "r"}), {}, 1).train.size(), 9U)
      << "of these all were measured";
}

TEST_F(Sdss, IsFoundInAFolderByTheNameThatKaggleGives) {
  folder_.write("Skyserver_SQL2_27_2018 6_51_39 PM.csv", dr14(5, 5, 5));
  folder_.write_gzipped("star_classification.csv.gz",
                        std::string(kDr17) + "1,2,3,4,5,6,7,QSO,8,9\n");
  const std::string path = folder_.path().string();
  EXPECT_EQ(describe_dataset({"sdss_dr14", path}, {}).train_size, 12U);
  EXPECT_EQ(describe_dataset({"sdss_dr17", path}, {}).train_size, 1U);
}

TEST_F(Sdss, NamesTheLineAtFault) {
  const std::string good = dr14(5, 5, 5);
  EXPECT_THAT(message(request(good.substr(0, good.size() - 40))),
              testing::AllOf(testing::HasSubstr("objects.csv:16: has 11 fields"),
                             testing::HasSubstr("is the file truncated?")));
  EXPECT_THAT(message(request(kDr14 + dr14_row(1, "COMET"))),
              testing::HasSubstr(":2: class is 'COMET'; it must be GALAXY, QSO, STAR"));
  EXPECT_THAT(message(request(std::string(kDr17) + "1,2,x,4,5,6,7,QSO,8,9\n")),
              testing::HasSubstr(":2: u is 'x'; it must be a number"));
  EXPECT_THAT(message(request(std::string(kDr17) + "1,2,3,4,5,6,7,QSO,inf,9\n")),
              testing::HasSubstr("redshift is 'inf'"));
  // Their squares would be infinite, and all features no numbers.
  EXPECT_THAT(message(request(std::string(kDr17) + "1,2,3,4,5,6,7,QSO,1e300,9\n")),
              testing::HasSubstr("redshift is '1e300'; it must be a number"));
  EXPECT_THAT(message(request("ra,dec,class\n1,2,STAR\n")),
              testing::HasSubstr("has no column 'u'; the header has ra, dec, class"));
  EXPECT_THAT(message(request("")), testing::HasSubstr("is empty"));
  EXPECT_THAT(message(request(dr14(4, 4, 4))),
              testing::HasSubstr("has 12 objects; some class needs at least 5"));
}

TEST_F(Sdss, SaysWhatIsMissing) {
  EXPECT_THAT(message({"sdss_dr14", folder_.path().string()}),
              testing::AllOf(testing::HasSubstr("Skyserver_SQL2_27_2018 6_51_39 PM.csv[.gz]"),
                             testing::HasSubstr("set data.path")));
}

}  // namespace
}  // namespace tandem
