#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem::mpi {

/// Processor time from one moment to another, in seconds of one processor.
struct CpuUse {
  std::string machine;  ///< tells machines apart; several hosts of a lab are one
  double all = 0;       ///< that the machine's processors had
  double busy = 0;      ///< that was spent on anything, or asked for and not given
  double stolen = 0;    ///< of it: what a hypervisor did not give its virtual machine
  double network = 0;   ///< of it: by interrupts, on behalf of any process
  double own = 0;       ///< of it: by this process

  /// At most 1, though the time that idle processors waited for disks may fall (proc(5)).
  double busy_share() const { return all > 0 ? std::min(busy / all, 1.0) : 0; }

  /// All of a machine since it began, from the first line of its /proc/stat; without `own`.
  static CpuUse from_stat(std::istream& stat);

  std::string to_text() const;
  static CpuUse from_text(const std::string& text);
};

/// Looks at how busy the machine's processors are, from one moment on.
class CpuLoad {
 public:
  CpuLoad() { begin(); }

  void begin() { at_begin_ = now(); }
  /// Since then.
  CpuUse use() const;

 private:
  static CpuUse now();

  CpuUse at_begin_;
};

/// How often others took a core from this process before it gave it away, since it began.
std::int64_t involuntary_switches();

/// Of a machine's processors while a job ran, from 0 to 1, all of one stretch of time.
struct MachineLoad {
  double busy_share = 0;    ///< that were in use, or asked for and not given
  double others_share = 0;  ///< of it: that others on the machine than the job's ranks took
  double stolen_share = 0;  ///< of it: that a virtual machine was not given
};

/// Of each of a job's machines, from one use a rank of the same stretch of time; none of machines
/// where that was too short to tell.
std::vector<MachineLoad> machine_loads(std::span<const CpuUse> ranks);

/// Of the machine that was busiest, all of its shares; of no machine 0.
MachineLoad heaviest(std::span<const MachineLoad> loads);

/// What to say of a run on machines so loaded: above 85 % a machine's processors may have been the
/// limit, and not the network of a lab, whose hosts share them; others that took over 10 % of
/// such a machine then took it from the run; and so did a hypervisor, however much was left over,
/// that did not give a virtual machine over 10 % of what it asked for.
std::vector<std::string> load_warnings(std::span<const MachineLoad> loads);

}  // namespace tandem::mpi
