#include "real/mpi/cpu_load.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "core/command/lab.h"
#include "real/mpi/cpu_limit.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

CpuUse use_of_machine() {
  std::ifstream stat("/proc/stat");
  CpuUse use = CpuUse::from_stat(stat);
  use.machine = machine();
  return use;
}

// What is stolen and what the network takes is not told by group.
CpuUse use_of_group(const CpuLimit& limit) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  CpuUse use;
  use.machine = fmt::format("{}:{}:{}", machine(), limit.group, limit.processors);
  use.all = limit.processors * now.count();
  use.busy = limit.used;
  return use;
}

/// By machine, of the rank that looked longest.
std::map<std::string, CpuUse> longest_uses(std::span<const CpuUse> ranks) {
  std::map<std::string, CpuUse> longest;
  for (const CpuUse& rank : ranks) {
    CpuUse& machine = longest[rank.machine];
    if (rank.all >= machine.all) machine = rank;
  }
  return longest;
}

constexpr double kTooShort = 0.5;  // the kernel counts in hundredths

/// `timed` are the longest, by machine.
std::optional<double> timed_share(const CpuUse& whole, const std::map<std::string, CpuUse>& timed) {
  const auto found = timed.find(whole.machine);
  if (found == timed.end()) return whole.busy_share();
  return found->second.all < kTooShort ? std::nullopt : std::optional(found->second.busy_share());
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
  const auto limit = cpu_limit();
  CpuUse use = limit ? use_of_group(*limit) : use_of_machine();
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  use.own = seconds(own.ru_utime) + seconds(own.ru_stime);
  return use;
}

CpuUse CpuLoad::use() const {
  CpuUse use = now();
  if (use.machine != at_begin_.machine) return {.machine = use.machine};
  use.all -= at_begin_.all;
  use.busy -= at_begin_.busy;
  use.stolen -= at_begin_.stolen;
  use.network -= at_begin_.network;
  use.own -= at_begin_.own;
  return use;
}

void RunLoad::note_iterations(int done) {
  if (done == warmup_iterations_) timed_.begin();
  if (done == iterations_) timed_use_ = timed_.use();
}

std::int64_t involuntary_switches() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_nivcsw;
}

std::vector<MachineLoad> machine_loads(std::span<const CpuUse> ranks,
                                       std::span<const CpuUse> timed) {
  std::map<std::string, double> of_ranks;
  for (const CpuUse& rank : ranks) of_ranks[rank.machine] += rank.own;
  const auto longest_timed = longest_uses(timed);
  std::vector<MachineLoad> loads;
  for (const auto& [name, use] : longest_uses(ranks)) {
    if (use.all < kTooShort) continue;
    const double others = use.busy - use.stolen - use.network - of_ranks[name];
    loads.push_back({.busy_share = use.busy_share(),
                     .others_share = std::clamp(others / use.all, 0.0, 1.0),
                     .stolen_share = std::clamp(use.stolen / use.all, 0.0, 1.0),
                     .timed_share = timed_share(use, longest_timed)});
  }
  return loads;
}

std::optional<MachineLoad> heaviest(std::span<const MachineLoad> loads) {
  const auto busiest = std::ranges::max_element(loads, {}, &MachineLoad::timed_share);
  return busiest == loads.end() ? std::nullopt : std::optional(*busiest);
}

std::vector<std::string> load_warnings(std::span<const MachineLoad> loads) {
  constexpr double kTooBusy = 0.85, kMuch = 0.1;
  bool is_busy = false, is_shared = false, is_stolen_from = false;
  for (const MachineLoad& load : loads) {
    is_busy |= load.timed_share.value_or(0) >= kTooBusy;
    is_shared |= load.busy_share >= kTooBusy && load.others_share > kMuch;
    is_stolen_from |= load.stolen_share > kMuch * load.busy_share;
  }
  std::vector<std::string> warnings;
  if (is_busy && std::getenv(kInLabVariable) != nullptr)
    warnings.push_back(
        fmt::format("the machine's processors were busy for over {:.0f} % of the timed "
                    "iterations: they may have been the limit, and not the lab's network; take "
                    "fewer hosts or lower rates, or a paced device where they compute",
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
