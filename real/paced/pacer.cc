#include "real/paced/pacer.h"

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
  return {now, sleep_until};
}

void Pacer::pace(Seconds kernel) {
  done_ = std::max(done_, alarm_.now() - behind_) + kernel;
  is_caught_up_ = false;
}

void Pacer::catch_up() {
  if (is_caught_up_) return;
  if (alarm_.now() < done_) alarm_.sleep_until(done_);
  behind_ = std::clamp(alarm_.now() - done_, 0.0, kFurthestBehind);
  is_caught_up_ = true;
}

void Pacer::waited(Seconds time) {
  behind_ = std::max(0.0, behind_ - time);
}

}  // namespace tandem
