#include "real/mpi/cpu_load.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "core/command/lab.h"

namespace tandem::mpi {

// proc(5): cpu user nice system idle iowait irq softirq steal; what guests take is within user.
CpuLoad::Ticks CpuLoad::read() {
  constexpr int kFields = 8, kIdle = 3, kIoWait = 4;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  Ticks ticks;
  std::uint64_t field = 0;
  for (int i = 0; i < kFields && file >> field; ++i) {
    ticks.all += field;
    if (i != kIdle && i != kIoWait) ticks.busy += field;
  }
  return ticks;
}

double CpuLoad::busy_share() const {
  const Ticks now = read();
  const std::uint64_t all = now.all - at_begin_.all;
  return all == 0 ? 0 : static_cast<double>(now.busy - at_begin_.busy) / static_cast<double>(all);
}

std::int64_t involuntary_switches() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_nivcsw;
}

std::optional<std::string> lab_warning(double busy_share) {
  constexpr double kTooBusy = 0.85;
  if (std::getenv(kInLabVariable) == nullptr || busy_share < kTooBusy) return std::nullopt;
  return fmt::format(
      "the machine's processors were busy for {:.0f} % of the run: they may have been the limit, "
      "and not the lab's network; take fewer hosts, lower rates or a paced device",
      100 * busy_share);
}

}  // namespace tandem::mpi
