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
#include "real/mpi/machine.h"

namespace tandem::mpi {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::string CpuUse::to_text() const {
  return fmt::format("{} {} {} {} {}", machine, all, busy, network, own);
}

CpuUse CpuUse::from_text(const std::string& text) {
  CpuUse use;
  std::istringstream(text) >> use.machine >> use.all >> use.busy >> use.network >> use.own;
  return use;
}

// proc(5): cpu user nice system idle iowait irq softirq steal; what guests take is within user.
CpuUse CpuLoad::now() {
  constexpr int kFields = 8, kIdle = 3, kIoWait = 4, kIrq = 5, kSoftIrq = 6;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuUse use{.machine = machine()};
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double field = 0;
  for (int i = 0; i < kFields && file >> field; ++i) {
    use.all += field / ticks;
    if (i != kIdle && i != kIoWait) use.busy += field / ticks;
    if (i == kIrq || i == kSoftIrq) use.network += field / ticks;
  }
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  use.own = seconds(own.ru_utime) + seconds(own.ru_stime);
  return use;
}

CpuUse CpuLoad::use() const {
  CpuUse use = now();
  use.all -= at_begin_.all;
  use.busy -= at_begin_.busy;
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
    const double others = use.busy - use.network - of_ranks[name];
    loads.push_back(
        {.busy_share = use.busy_share(), .others_share = std::clamp(others / use.all, 0.0, 1.0)});
  }
  return loads;
}

MachineLoad heaviest(std::span<const MachineLoad> loads) {
  MachineLoad most;
  for (const MachineLoad& load : loads) {
    most.busy_share = std::max(most.busy_share, load.busy_share);
    most.others_share = std::max(most.others_share, load.others_share);
  }
  return most;
}

std::vector<std::string> load_warnings(std::span<const MachineLoad> loads) {
  constexpr double kTooBusy = 0.85, kMuch = 0.1;
  bool is_busy = false, is_shared = false;
  for (const MachineLoad& load : loads) {
    is_busy |= load.busy_share >= kTooBusy;
    is_shared |= load.busy_share >= kTooBusy && load.others_share > kMuch;
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
        "others, such as another process or a hypervisor's other guests, took over {:.0f} % of the "
        "machine's processors, and hardly any was left over: what was measured is slower than on a "
        "quiet machine; run it again while nothing else does",
        100 * kMuch));
  return warnings;
}

}  // namespace tandem::mpi
