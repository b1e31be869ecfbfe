#include "core/command/kept_points.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;

class KeptPointsTest : public testing::Test {
 protected:
  KeptPointsTest() {
    out_ = fs::path(testing::TempDir()) /
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(out_);
    fs::create_directories(out_);
    point_.model.name = "mnist_cnn";
    point_.batch_size = 8;
    point_.iterations = 1;
  }
  ~KeptPointsTest() override { fs::remove_all(out_); }

  void keep(const PointCheck& check) {
    PointResult result{.scenario = point_, .summary = {}, .members = {}, .environment = {}};
    result.summary.iteration_s = 0.5;
    result.save(out_ / "result");
    KeptPoints(out_).keep(point_, check, out_ / "result");
  }

  fs::path out_;
  Scenario point_;
};

TEST_F(KeptPointsTest, FindWhatWasKept) {
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"a", ""}));
  keep({"a", ""});
  point_.variant = "bucket=1 MB";  // is no part of what runs
  const auto found = KeptPoints(out_).find(point_, {"a", ""});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->summary.iteration_s, 0.5);
  EXPECT_EQ(found->summary.variant, "bucket=1 MB");
  KeptPoints(out_).remove();
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"a", ""}));
  EXPECT_TRUE(fs::is_empty(out_));
}

TEST_F(KeptPointsTest, NeverFindAnother) {
  keep({"a", ""});
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"b", ""})) << "the platform's file changed";
  point_.seed = 2;
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"a", ""}));
  point_.seed = 1;
  EXPECT_TRUE(KeptPoints(out_).find(point_, {"a", ""}));
  point_.simulation.bandwidth_factor = 2;
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"a", ""}));
}

TEST_F(KeptPointsTest, PassOverADamagedFile) {
  keep({"a", ""});
  for (const auto& file : fs::directory_iterator(out_ / "points"))
    std::ofstream(file.path()) << "{";
  EXPECT_FALSE(KeptPoints(out_).find(point_, {"a", ""}));
}

TEST_F(KeptPointsTest, KnowAnOlderResult) {
  EXPECT_FALSE(KeptPoints(out_).has_older_result());
  std::ofstream(out_ / "summary.csv") << "scenario\n";
  EXPECT_TRUE(KeptPoints(out_).has_older_result());
  keep({"a", ""});
  EXPECT_TRUE(KeptPoints(out_).has_older_result()) << "it stays, however often one breaks off";
}

TEST_F(KeptPointsTest, KnowTheirOwnTablesFromAnOlderResult) {
  keep({"a", ""});
  std::ofstream(out_ / "summary.csv") << "scenario\n";
  EXPECT_TRUE(KeptPoints(out_).has_older_result()) << "nobody has said whose they are";
  KeptPoints(out_).own_tables();
  EXPECT_FALSE(KeptPoints(out_).has_older_result());
  EXPECT_NO_THROW(KeptPoints(out_).require_none_but({point_}, {{"a", ""}}));
  KeptPoints(out_).remove();
  EXPECT_TRUE(KeptPoints(out_).has_older_result()) << "a whole one, to those who come after";
}

TEST_F(KeptPointsTest, AreNoOtherSweepsWhereOnlyTheirTablesAre) {
  KeptPoints(out_).own_tables();
  EXPECT_NO_THROW(KeptPoints(out_).require_none_but({point_}, {{"a", ""}}));
}

}  // namespace
}  // namespace tandem
