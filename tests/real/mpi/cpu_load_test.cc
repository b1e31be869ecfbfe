#include "real/mpi/cpu_load.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/command/lab.h"

namespace tandem::mpi {
namespace {

TEST(CpuLoad, CountsWhatAThreadSpends) {
  const double processors = std::thread::hardware_concurrency();
  CpuLoad load;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) continue;
  EXPECT_GT(load.busy_share(), 0.5 / processors);  // this thread kept at most one of them busy
  EXPECT_LE(load.busy_share(), 1);
}

TEST(LabWarning, IsOfLabsThatAreTooBusy) {
  unsetenv(kInLabVariable);
  EXPECT_FALSE(lab_warning(1));
  setenv(kInLabVariable, "test", 1);
  EXPECT_FALSE(lab_warning(0.5));
  EXPECT_THAT(lab_warning(0.9).value_or(""), testing::HasSubstr("busy for 90 % of the run"));
  unsetenv(kInLabVariable);
}

}  // namespace
}  // namespace tandem::mpi
