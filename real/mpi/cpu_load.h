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

/// Of the processors of a job's machines, the largest share that others than its ranks took, one
/// use a rank of the same stretch of time; 0 where that was too short to tell.
double share_of_others(std::span<const CpuUse> ranks);

/// What to say of a run whose machine was that busy, and of which others took that share: above
/// 85 % its processors may have been the limit, and not the network of a lab, whose hosts share
/// them; and others that took over 10 % then took it from the run.
std::vector<std::string> load_warnings(double busy_share, double others_share);

}  // namespace tandem::mpi
