#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tandem::mpi {

/// Looks at how busy the machine's processors are, from one moment on.
class CpuLoad {
 public:
  CpuLoad() { begin(); }

  void begin() { at_begin_ = read(); }
  /// Share of all processors' time since then that was spent on anything, or stolen by a
  /// hypervisor: 0 to 1.
  double busy_share() const;

 private:
  struct Ticks {
    std::uint64_t busy = 0;
    std::uint64_t all = 0;
  };
  static Ticks read();

  Ticks at_begin_;
};

/// How often others took a core from this process before it gave it away, since it began.
std::int64_t involuntary_switches();

/// What to say where a run that was that busy is one of a lab, whose hosts share the machine's
/// processors: above 85 % these may have been the limit, and not the network.
std::optional<std::string> lab_warning(double busy_share);

}  // namespace tandem::mpi
