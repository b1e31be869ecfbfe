#include "real/paced/pacer.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace tandem {
namespace {

// A thread that had no core for longer has kept its device waiting, and if it caught up, iterations
// after that would be timed too short.
constexpr Seconds kFurthestBehind = 1e-3;

// Of how late a sleep was so much is still expected of the next: they differ from one to the other.
constexpr double kStillLate = 0.9;
// Who gives the core away for less may not have it again in time.
constexpr Seconds kTooShort = 20e-6;

// What a sleep is late by without a core is no measure.
constexpr Seconds kLatest = 200e-6;

Seconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec);
}

void sleep_until(Seconds deadline) {
  const double whole = std::floor(deadline);
  const timespec time{static_cast<time_t>(whole), static_cast<long>((deadline - whole) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) continue;
}

}  // namespace

Alarm system_alarm() {
  prctl(PR_SET_TIMERSLACK, 1);
  return {now, sleep_until, [] { sched_yield(); }};
}

void Pacer::pace(Seconds kernel) {
  done_ = std::max(done_, alarm_.now() - behind_) + kernel;
  is_caught_up_ = false;
}

void Pacer::catch_up() {
  if (is_caught_up_) return;
  sleep();
  for (Seconds now = alarm_.now(); now < done_; now = alarm_.now()) {
    if (done_ - now > kTooShort) alarm_.pause();
  }
  behind_ = std::clamp(alarm_.now() - done_, 0.0, kFurthestBehind);
  is_caught_up_ = true;
}

void Pacer::sleep() {
  const Seconds until = done_ - sleeps_late_;
  if (alarm_.now() >= until) return;
  alarm_.sleep_until(until);
  const Seconds late = alarm_.now() - until;
  sleeps_late_ = std::max(late <= kLatest ? late : 0, kStillLate * sleeps_late_);
}

void Pacer::waited(Seconds time) {
  behind_ = std::max(0.0, behind_ - time);
}

}  // namespace tandem
