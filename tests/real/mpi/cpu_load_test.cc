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
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (load.use().own < 0.3 && std::chrono::steady_clock::now() < end) continue;
  const CpuUse use = CpuUse::from_text(load.use().to_text());
  EXPECT_GT(use.busy_share(), 0.5 / processors);  // this thread or others kept one of them busy
  EXPECT_LE(use.busy_share(), 1);
  EXPECT_GE(use.own, 0.3);
  EXPECT_FALSE(use.machine.empty());
}

TEST(ShareOfOthers, IsWhatRanksAndTheNetworkLeftOfABusyMachine) {
  const CpuUse rank{.machine = "a", .all = 20, .busy = 18, .network = 2, .own = 5};
  EXPECT_DOUBLE_EQ(share_of_others(std::vector{rank, rank}), 0.3);
  // Of another machine's ranks nothing is taken off.
  const CpuUse apart{.machine = "b", .all = 20, .busy = 18, .network = 2, .own = 5};
  EXPECT_DOUBLE_EQ(share_of_others(std::vector{rank, apart}), 0.55);
  const CpuUse alone{.machine = "a", .all = 20, .busy = 11, .network = 0, .own = 12};
  EXPECT_EQ(share_of_others(std::vector{alone}), 0);
  const CpuUse short_one{.machine = "a", .all = 0.1, .busy = 0.1, .network = 0, .own = 0};
  EXPECT_EQ(share_of_others(std::vector{short_one}), 0);
}

TEST(LoadWarnings, AreOfBusyLabsAndOfWhatOthersTook) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  unsetenv(kInLabVariable);
  EXPECT_THAT(load_warnings(1, 0.05), ElementsAre());
  EXPECT_THAT(load_warnings(0.5, 0.4), ElementsAre());
  EXPECT_THAT(load_warnings(0.9, 0.4), ElementsAre(HasSubstr("other processes took over 10 %")));
  setenv(kInLabVariable, "test", 1);
  EXPECT_THAT(load_warnings(0.5, 0), ElementsAre());
  EXPECT_THAT(load_warnings(0.9, 0), ElementsAre(HasSubstr("busy for over 85 % of the run")));
  EXPECT_THAT(load_warnings(0.9, 0.4), testing::SizeIs(2));
  unsetenv(kInLabVariable);
}

}  // namespace
}  // namespace tandem::mpi
