#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem::mpi {

/// Of a member that has no timed iterations.
inline constexpr const char* kNoMachine = "-";

/// Processor time from one moment to another, in seconds of one processor.
struct CpuUse {
  std::string machine;  ///< tells machines apart; several hosts of a lab are one, and a group of
                        ///< processes that may use some processors only is one of its own
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

/// Looks at how busy the machine's processors are, from one moment on; in a group of processes that
/// may use some only (CpuLimit), how much of that the group does.
class CpuLoad {
 public:
  CpuLoad() { begin(); }

  void begin() { at_begin_ = now(); }
  /// Since then; none where the group's limit is another now.
  CpuUse use() const;

 private:
  static CpuUse now();

  CpuUse at_begin_;
};

/// What a member looks at: all of a run, and its timed iterations.
class RunLoad {
 public:
  RunLoad(int warmup_iterations, int iterations)
      : warmup_iterations_(warmup_iterations), iterations_(iterations) {}

  /// Training begins, or goes on.
  void begin() { timed_.begin(); }
  /// So many iterations are done.
  void note_iterations(int done);
  CpuUse whole() const { return whole_.use(); }
  /// From where the warm-up ends, or training goes on after it, to the end of the last iteration;
  /// of kNoMachine for members that have no iterations.
  const CpuUse& timed() const { return timed_use_; }

 private:
  int warmup_iterations_, iterations_;
  CpuLoad whole_, timed_;
  CpuUse timed_use_{.machine = kNoMachine};
};

/// How often others took a core from this process before it gave it away, since it began.
std::int64_t involuntary_switches();

/// Of a machine's processors while a job ran, from 0 to 1, all of one stretch of time but for
/// `timed_share`.
struct MachineLoad {
  double busy_share = 0;    ///< that were in use, or asked for and not given
  double others_share = 0;  ///< of it: that others on the machine than the job's ranks took
  double stolen_share = 0;  ///< of it: that a virtual machine was not given
  /// That were in use, or not given, during timed iterations; nothing where those were too short to
  /// tell.
  std::optional<double> timed_share = {};
};

/// Of each of a job's machines, from one use a rank of the same stretch of time; none of machines
/// where that was too short to tell. `timed` are ranks' uses of timed iterations: none is there of
/// machines that only have others, whose `timed_share` is of all the time.
std::vector<MachineLoad> machine_loads(std::span<const CpuUse> ranks,
                                       std::span<const CpuUse> timed);

/// Of the machine that was busiest during timed iterations, all of its shares; nothing of none.
std::optional<MachineLoad> heaviest(std::span<const MachineLoad> loads);

/// What to say of a run on machines so loaded: above 85 % in timed iterations a machine's
/// processors may have been the limit, and not the network of a lab, whose hosts share them; others
/// that took over 10 % of a machine so loaded all the time took it from the run; and so did a
/// hypervisor, however much was left over, that did not give a virtual machine over 10 % of what it
/// asked for.
std::vector<std::string> load_warnings(std::span<const MachineLoad> loads);

}  // namespace tandem::mpi
