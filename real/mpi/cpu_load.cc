#include "real/mpi/cpu_load.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "core/command/lab.h"

namespace tandem::mpi {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Other name spaces are the same machine.
std::string machine() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.empty() ? "unknown" : id;
}

}  // namespace

std::string CpuUse::to_text() const {
  return fmt::format("{} {} {} {} {} {}", machine, all, busy, stolen, network, own);
}

CpuUse CpuUse::from_text(const std::string& text) {
  CpuUse use;
  std::istringstream(text) >> use.machine >> use.all >> use.busy >> use.stolen >> use.network >>
      use.own;
  return use;
}

// proc(5): cpu user nice system idle iowait irq softirq steal; what guests take is within user.
CpuUse CpuUse::from_stat(std::istream& stat) {
  constexpr int kFields = 8, kIdle = 3, kIoWait = 4, kIrq = 5, kSoftIrq = 6, kSteal = 7;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuUse use;
  std::string name;
  stat >> name;
  double field = 0;
  for (int i = 0; i < kFields && stat >> field; ++i) {
    const double time = field / ticks;
    use.all += time;
    if (i != kIdle && i != kIoWait) use.busy += time;
    if (i == kIrq || i == kSoftIrq) use.network += time;
    if (i == kSteal) use.stolen += time;
  }
  return use;
}

CpuUse CpuLoad::now() {
  std::ifstream stat("/proc/stat");
  CpuUse use = CpuUse::from_stat(stat);
  use.machine = machine();
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  use.own = seconds(own.ru_utime) + seconds(own.ru_stime);
  return use;
}

CpuUse CpuLoad::use() const {
  CpuUse use = now();
  use.all -= at_begin_.all;
  use.busy -= at_begin_.busy;
  use.stolen -= at_begin_.stolen;
  use.network -= at_begin_.network;
  use.own -= at_begin_.own;
  return use;
}

std::int64_t involuntary_switches() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_nivcsw;
}

std::vector<MachineLoad> machine_loads(std::span<const CpuUse> ranks) {
  constexpr double kTooShort = 0.5;  // the kernel counts in hundredths
  std::map<std::string, double> of_ranks;
  std::map<std::string, CpuUse> machines;  // by the rank that looked longest
  for (const CpuUse& rank : ranks) {
    of_ranks[rank.machine] += rank.own;
    CpuUse& machine = machines[rank.machine];
    if (rank.all >= machine.all) machine = rank;
  }
  std::vector<MachineLoad> loads;
  for (const auto& [name, use] : machines) {
    if (use.all < kTooShort) continue;
    const double others = use.busy - use.stolen - use.network - of_ranks[name];
    loads.push_back({.busy_share = use.busy_share(),
                     .others_share = std::clamp(others / use.all, 0.0, 1.0),
                     .stolen_share = std::clamp(use.stolen / use.all, 0.0, 1.0)});
  }
  return loads;
}

MachineLoad heaviest(std::span<const MachineLoad> loads) {
  const auto busiest = std::ranges::max_element(loads, {}, &MachineLoad::busy_share);
  return busiest == loads.end() ? MachineLoad{} : *busiest;
}

std::vector<std::string> load_warnings(std::span<const MachineLoad> loads) {
  constexpr double kTooBusy = 0.85, kMuch = 0.1;
  bool is_busy = false, is_shared = false, is_stolen_from = false;
  for (const MachineLoad& load : loads) {
    is_busy |= load.busy_share >= kTooBusy;
    is_shared |= load.busy_share >= kTooBusy && load.others_share > kMuch;
    is_stolen_from |= load.stolen_share > kMuch * load.busy_share;
  }
  std::vector<std::string> warnings;
  if (is_busy && std::getenv(kInLabVariable) != nullptr)
    warnings.push_back(
        fmt::format("the machine's processors were busy for over {:.0f} % of the run: they may "
                    "have been the limit, and not the lab's network; take fewer hosts, lower rates "
                    "or a paced device",
                    100 * kTooBusy));
  if (is_shared)
    warnings.push_back(fmt::format(
        "others, such as another process, took over {:.0f} % of the machine's processors, and "
        "hardly any was left over: what was measured is slower than on a quiet machine; run it "
        "again while nothing else does",
        100 * kMuch));
  if (is_stolen_from)
    warnings.push_back(fmt::format(
        "the virtual machine was not given over {:.0f} % of the processor time that it asked for, "
        "which its hypervisor had for others: what was measured is slower than on a quiet machine; "
        "run it again later, or on a machine of its own",
        100 * kMuch));
  return warnings;
}

}  // namespace tandem::mpi
