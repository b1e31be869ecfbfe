#include "real/mpi/cpu_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tandem::mpi {
namespace {

namespace fs = std::filesystem;

/// What the system shows of groups of processes.
class CpuLimitTest : public testing::Test {
 protected:
  ~CpuLimitTest() override { fs::remove_all(root_); }

  void add(const fs::path& group, const std::string& limit, const std::string& used) {
    fs::create_directories(root_ / group);
    std::ofstream(root_ / group / "cpu.max") << limit << "\n";
    std::ofstream(root_ / group / "cpu.stat") << "usage_usec " << used << "\nuser_usec 1\n";
  }

  std::optional<CpuLimit> limit(const std::string& own, double processors = 8) const {
    return cpu_limit(root_, own, processors);
  }

  fs::path root_ = fs::path(testing::TempDir()) / ("groups_" + std::to_string(getpid()));
};

TEST_F(CpuLimitTest, IsTheTightestOfAGroupAndThoseThatItIsPartOf) {
  add("pod", "150000 100000", "2500000");
  add("pod/task", "max 100000", "500000");
  add("pod/large", "400000 100000", "500000");
  add("pod/small", "50000 100000", "750000");
  for (const char* own : {"0::/pod/task\n", "1:cpu:/other\n0::/pod/large\n", "0::/pod/gone\n"}) {
    const auto found = limit(own);
    ASSERT_TRUE(found) << own;
    EXPECT_EQ(found->processors, 1.5);
    EXPECT_EQ(found->used, 2.5);
  }
  const auto small = limit("0::/pod/small\n");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->processors, 0.5);
  EXPECT_EQ(small->used, 0.75);
  EXPECT_NE(small->group, limit("0::/pod\n")->group);
}

// As a container sees its own.
TEST_F(CpuLimitTest, MayBeThatOfTheOutermostGroupThatIsShown) {
  add("", "200000 100000", "1000000");
  EXPECT_EQ(limit("0::/\n")->processors, 2);
  EXPECT_EQ(limit("0::/not/shown\n")->processors, 2);
}

TEST_F(CpuLimitTest, IsNoneWhereAllProcessorsMayBeUsed) {
  add("pod", "max 100000", "1");
  add("wide", "800000 100000", "1");
  for (const char* own : {"0::/pod\n", "0::/wide\n", "0::/\n", "1:cpu:/wide\n", ""})
    EXPECT_FALSE(limit(own)) << own;
}

}  // namespace
}  // namespace tandem::mpi
