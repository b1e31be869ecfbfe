#pragma once

#include <functional>

#include "core/base/seconds.h"

namespace tandem {

/// A clock, and how to wait by it.
struct Alarm {
  std::function<Seconds()> now;
  std::function<void(Seconds time)> sleep_until;  ///< may end late, never early
  std::function<void()> pause;                    ///< the core is anyone's, for a moment
};

/// The system's, made precise for the calling thread, whose sleeps would else end 50 us later.
Alarm system_alarm();

/// Lets the times of a device's kernels pass, one after the other, while the thread that asks for
/// them goes on, as a GPU's does: it waits once for all of them, when it catches up, which it does
/// before it does anything that others could see. A sleep ends late, by some tens of microseconds
/// and the more the longer it was; so it is cut short by as much as those before it were late, and
/// the rest is waited for awake. What the thread is late still, the next kernels are shorter, as
/// those of a device that went on by itself would have been done by then: their sum is right,
/// however many there are. What it is late by more than a millisecond, because it had no core, is
/// not made up for.
class Pacer {
 public:
  explicit Pacer(Alarm alarm = system_alarm()) : alarm_(std::move(alarm)) {}

  /// The device does a kernel of that time, after those before.
  void pace(Seconds kernel);
  /// When the device has done all, by the alarm's clock; the past where it rests.
  Seconds done() const { return done_; }
  /// Waits until then, unless it has since the last kernel.
  void catch_up();
  /// The thread has waited for something else. What it was late for would have been waiting too.
  void waited(Seconds time);

 private:
  void sleep();

  Alarm alarm_;
  Seconds sleeps_late_ = 0;  ///< as those of late were
  Seconds done_ = 0;
  bool is_caught_up_ = true;
  Seconds behind_ = 0;  ///< how much later than that the thread had caught up
};

}  // namespace tandem
