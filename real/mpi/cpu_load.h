#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem::mpi {

/// Processor time from one moment to another, in seconds of one processor.
struct CpuUse {
  std::string machine;  ///< tells machines apart; several hosts of a lab are one
  double all = 0;       ///< that the machine's processors had
  double busy = 0;      ///< that was spent on anything, or stolen by a hypervisor
  double network = 0;   ///< of it: by interrupts, on behalf of any process
  double own = 0;       ///< of it: by this process

  /// At most 1, though the time that idle processors waited for disks may fall (proc(5)).
  double busy_share() const { return all > 0 ? std::min(busy / all, 1.0) : 0; }

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

/// Of a machine's processors while a job ran, from 0 to 1.
struct MachineLoad {
  double busy_share = 0;    ///< that were in use
  double others_share = 0;  ///< that others than the job's ranks took
};

/// Of each of a job's machines, from one use a rank of the same stretch of time; none of machines
/// where that was too short to tell.
std::vector<MachineLoad> machine_loads(std::span<const CpuUse> ranks);

/// The largest of the machines'; of no machine 0.
MachineLoad heaviest(std::span<const MachineLoad> loads);

/// What to say of a run on machines so loaded: above 85 % a machine's processors may have been the
/// limit, and not the network of a lab, whose hosts share them; and others that took over 10 % of
/// such a machine then took it from the run.
std::vector<std::string> load_warnings(std::span<const MachineLoad> loads);

}  // namespace tandem::mpi
