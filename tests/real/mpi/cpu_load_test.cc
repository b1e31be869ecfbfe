#include "real/mpi/cpu_load.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "core/base/seconds.h"
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

TEST(CpuUse, TellsWhatWasStolenFromWhatWasUsed) {
  std::istringstream stat("cpu  100 200 300 4000 500 60 70 800 90 9\ncpu0 1 2 3 4 5 6 7 8 9 0\n");
  const CpuUse use = CpuUse::from_stat(stat);
  const double of_all = 100 + 200 + 300 + 4000 + 500 + 60 + 70 + 800;
  EXPECT_DOUBLE_EQ(use.busy / use.all, (of_all - 4000 - 500) / of_all);
  EXPECT_DOUBLE_EQ(use.network / use.all, (60 + 70) / of_all);
  EXPECT_DOUBLE_EQ(use.stolen / use.all, 800 / of_all);
  EXPECT_EQ(CpuUse::from_text("a 9 8 7 6 5").to_text(), "a 9 8 7 6 5");
}

/// Of runs whose iterations are all timed.
std::vector<MachineLoad> loads_of(const std::vector<CpuUse>& ranks) {
  return machine_loads(ranks, ranks);
}

TEST(MachineLoads, StolenTimeIsNotOthers) {
  const CpuUse rank{.machine = "a", .all = 20, .busy = 18, .stolen = 5, .network = 2, .own = 10};
  const auto loads = loads_of({rank});
  ASSERT_EQ(loads.size(), 1);
  EXPECT_DOUBLE_EQ(loads[0].busy_share, 0.9);
  EXPECT_DOUBLE_EQ(loads[0].others_share, 0.05);
  EXPECT_DOUBLE_EQ(loads[0].stolen_share, 0.25);
}

TEST(MachineLoads, AreWhatRanksAndTheNetworkLeftOfABusyMachine) {
  const CpuUse rank{.machine = "a", .all = 20, .busy = 18, .network = 2, .own = 5};
  const auto together = loads_of({rank, rank});
  ASSERT_EQ(together.size(), 1);
  EXPECT_DOUBLE_EQ(together[0].busy_share, 0.9);
  EXPECT_DOUBLE_EQ(together[0].others_share, 0.3);
  // Of another machine's ranks nothing is taken off.
  const CpuUse apart{.machine = "b", .all = 20, .busy = 18, .network = 2, .own = 8};
  const auto both = loads_of({rank, apart});
  ASSERT_EQ(both.size(), 2);
  EXPECT_DOUBLE_EQ(both[0].others_share, 0.55);
  EXPECT_DOUBLE_EQ(both[1].others_share, 0.4);
  const CpuUse alone{.machine = "a", .all = 20, .busy = 11, .network = 0, .own = 12};
  EXPECT_EQ(loads_of({alone}).at(0).others_share, 0);
  const CpuUse short_one{.machine = "a", .all = 0.1, .busy = 0.1, .network = 0, .own = 0};
  EXPECT_TRUE(loads_of({short_one}).empty());
}

TEST(MachineLoads, AreOfTheRankThatLookedLongest) {
  const CpuUse longest{.machine = "a", .all = 20, .busy = 10, .network = 0, .own = 2};
  const CpuUse shorter{.machine = "a", .all = 10, .busy = 9, .network = 0, .own = 2};
  for (const auto& ranks : {std::vector{longest, shorter}, std::vector{shorter, longest}}) {
    const auto loads = loads_of(ranks);
    ASSERT_EQ(loads.size(), 1);
    EXPECT_DOUBLE_EQ(loads[0].busy_share, 0.5);
    EXPECT_DOUBLE_EQ(loads[0].others_share, 0.3);
  }
}

TEST(MachineLoads, HaveTheShareOfTimedIterationsBesideThoseOfTheWholeRun) {
  const CpuUse whole{.machine = "a", .all = 20, .busy = 10, .stolen = 2, .own = 6};
  const CpuUse timed{.machine = "a", .all = 8, .busy = 7.6, .own = 3};
  const CpuUse of_server{.machine = kNoMachine};
  const CpuUse server_alone{.machine = "b", .all = 20, .busy = 5};
  const auto loads = machine_loads(std::vector{whole, whole, server_alone},
                                   std::vector{timed, of_server, of_server});
  ASSERT_EQ(loads.size(), 2);
  EXPECT_DOUBLE_EQ(loads[0].timed_share.value(), 0.95);
  EXPECT_DOUBLE_EQ(loads[0].busy_share, 0.5);
  EXPECT_DOUBLE_EQ(loads[0].others_share, 0);
  EXPECT_DOUBLE_EQ(loads[0].stolen_share, 0.1);
  EXPECT_DOUBLE_EQ(loads[1].timed_share.value(), 0.25);
  for (const double all : {0.0, 0.1}) {
    const CpuUse too_short{.machine = "a", .all = all, .busy = all};
    EXPECT_FALSE(machine_loads(std::vector{whole}, std::vector{too_short}).at(0).timed_share);
  }
}

void keep_busy(Seconds processor_time) {
  const CpuLoad load;
  while (load.use().own < processor_time) continue;
}

TEST(RunLoad, TellsTimedIterationsFromTheWarmUpAndFromWhatComesAfter) {
  RunLoad load(2, 4);
  EXPECT_EQ(load.timed().all, 0) << "as of a server";
  load.begin();
  keep_busy(0.03);
  load.note_iterations(2);
  keep_busy(0.01);
  load.note_iterations(4);
  keep_busy(0.03);
  const Seconds timed = load.timed().own, whole = load.whole().own;
  EXPECT_GE(timed, 0.01);
  EXPECT_GT(whole - timed, 0.0599) << "of before and after";
}

TEST(Heaviest, HasAllSharesOfTheBusiestMachine) {
  const std::vector<MachineLoad> loads{
      {0.5, 0.4, 0.2, 0.6}, {0.8, 0.1, 0, 0.9}, {0.9, 0.3, 0.1, 0.8}, {1, 0, 0, {}}};
  EXPECT_EQ(heaviest(loads)->busy_share, 0.8);
  EXPECT_EQ(heaviest(loads)->others_share, 0.1);
  EXPECT_EQ(heaviest(loads)->stolen_share, 0);
  EXPECT_FALSE(heaviest({}));
}

std::vector<std::string> warnings_of(const std::vector<MachineLoad>& loads) {
  return load_warnings(loads);
}

TEST(LoadWarnings, NameWhatAVirtualMachineWasNotGiven) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  unsetenv(kInLabVariable);
  EXPECT_THAT(warnings_of({{0.9, 0, 0.08}}), ElementsAre());
  // Whatever else was left over: who waits for one processor gains nothing by another.
  for (const double busy : {0.2, 1.0})
    EXPECT_THAT(warnings_of({{busy, 0, 0.11 * busy}}),
                ElementsAre(HasSubstr("the virtual machine was not given over 10 %")));
  EXPECT_THAT(warnings_of({{1, 0.2, 0.2}}),
              ElementsAre(HasSubstr("others, such as another process, took"),
                          HasSubstr("was not given over 10 %")));
}

TEST(LoadWarnings, AreOfBusyLabsAndOfWhatOthersTook) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  unsetenv(kInLabVariable);
  EXPECT_THAT(warnings_of({{1, 0.05}}), ElementsAre());
  EXPECT_THAT(warnings_of({{0.5, 0.4}}), ElementsAre());
  EXPECT_THAT(warnings_of({{0.9, 0.4}}), ElementsAre(HasSubstr("took over 10 %")));
  // One machine is busy with its own ranks, another has room for others.
  EXPECT_THAT(warnings_of({{0.9, 0.05}, {0.5, 0.4}}), ElementsAre());
  setenv(kInLabVariable, "test", 1);
  EXPECT_THAT(warnings_of({{0.9, 0, 0, 0.5}}), ElementsAre());
  EXPECT_THAT(warnings_of({{0.5, 0, 0, 0.9}}),
              ElementsAre(HasSubstr("busy for over 85 % of the timed iterations")));
  EXPECT_THAT(warnings_of({{0.9, 0.4, 0, 0.9}}), testing::SizeIs(2));
  unsetenv(kInLabVariable);
}

}  // namespace
}  // namespace tandem::mpi
