#pragma once

#include <algorithm>

#include "core/base/seconds.h"
#include "core/network/waiting.h"

namespace tandem::mpi {

/// How long to leave the core alone between two looks at what is in flight. Right after something
/// happened, more is likely soon and a sleep would cost more than it frees: yield and look again.
/// From then on sleep for a fixed share of the time already waited, so that a wait is never
/// lengthened by more than that share, and a long one costs next to nothing. A sleeper whom the
/// connections wake when there is something to see (SocketWatch) need hardly look by itself.
class Backoff {
 public:
  static constexpr Seconds kSpin = kStaysAwake;
  /// How long to look after a connection woke: for what is there, and for the next part of a
  /// message, since to sleep between parts costs time. That is a small share of a long wait, and a
  /// message on a slow wire has thousands of parts, so looking long for each would keep a core
  /// busy.
  static constexpr Seconds kSpinWhenWoken = 100e-6;
  static constexpr Seconds kSpinInLongWait = 10e-6;  ///< the same
  static constexpr Seconds kLongWait = 50e-3;        ///< since something was asked for or completed
  static constexpr Seconds kShare = 1.0 / 32;
  static constexpr Seconds kShareWhenTold = 1.0 / 2;
  static constexpr Seconds kShortest = 10e-6;
  static constexpr Seconds kLongest = 1e-3;

  /// `all_by_connection`: whether no message takes another way, such as shared memory.
  explicit Backoff(bool all_by_connection) : all_by_connection_(all_by_connection) {}

  /// Something was asked for, or has completed. The next pause() counts from when it is asked for,
  /// so that who has no time to wait reads no clock.
  void happened() { counts_ = false; }
  /// Something has completed: tells whether the connections would have woken for it. Those of some
  /// networks are none that can be watched.
  void completed() {
    if (slept_) is_told_ = all_by_connection_ && was_told_;
    slept_ = was_told_ = false;
  }
  /// A sleep has ended.
  void woke(Seconds now, bool by_connection) {
    slept_ = true;
    if (!by_connection) return;
    was_told_ = true;
    const bool waits_long = counts_ && now - last_ > kLongWait;
    spins_until_ = std::max(spins_until_, now + (waits_long ? kSpinInLongWait : kSpinWhenWoken));
  }

  /// 0 means: yield only.
  Seconds pause(Seconds now) {
    if (!counts_) count_from(now);
    if (now < spins_until_) return 0;
    return std::clamp((now - last_) * (is_told_ ? kShareWhenTold : kShare), kShortest, kLongest);
  }

 private:
  void count_from(Seconds now) {
    counts_ = true;
    last_ = now;
    spins_until_ = now + kSpin;
  }

  bool all_by_connection_;
  bool counts_ = false;
  Seconds last_ = 0;
  Seconds spins_until_ = 0;
  bool slept_ = false;
  bool was_told_ = false;  ///< since something last completed
  bool is_told_ = false;
};

}  // namespace tandem::mpi
