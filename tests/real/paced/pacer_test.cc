#include "real/paced/pacer.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>

namespace tandem {
namespace {

constexpr Seconds kReading = 50e-9, kLook = 1e-6;

/// A clock that stands still but for readings, looks, and sleeps, all of which end late.
struct MadeClock {
  Seconds time = 100;
  Seconds late = 60e-6;
  int sleeps = 0;

  Alarm alarm() {
    return {[this] { return time += kReading; },
            [this](Seconds until) {
              time = std::max(time, until) + late;
              ++sleeps;
            },
            [this] { time += kLook; }};
  }
  Seconds elapsed() const { return time - 100; }
};

void pace(Pacer& pacer, Seconds kernel) {
  pacer.pace(kernel);
  pacer.catch_up();
}

TEST(Pacer, KernelsTakeTheirTimeTogether) {
  MadeClock clock;
  Pacer pacer(clock.alarm());
  for (int i = 0; i < 1000; ++i) pace(pacer, 200e-6);
  EXPECT_NEAR(clock.elapsed(), 1000 * 200e-6, clock.late);
  for (int i = 0; i < 1000; ++i) pace(pacer, 1e-6);  // shorter than what a sleep is late by
  EXPECT_NEAR(clock.elapsed(), 1000 * 201e-6, 2 * clock.late);
}

TEST(Pacer, SleepsOnceForKernelsThatFollowEachOther) {
  MadeClock clock;
  Pacer pacer(clock.alarm());
  for (int i = 0; i < 10; ++i) {
    pacer.pace(100e-6);
    clock.time += 20e-6;  // the thread does something while the device does the kernel
  }
  EXPECT_NEAR(pacer.done(), 100 + 1e-3, 5 * kReading);
  EXPECT_EQ(clock.sleeps, 0);
  pacer.catch_up();
  pacer.catch_up();
  EXPECT_EQ(clock.sleeps, 1);
  EXPECT_NEAR(clock.elapsed(), 1e-3 + clock.late, 5 * kReading);
}

TEST(Pacer, WakesAsMuchEarlierAsSleepsBeforeWereLate) {
  MadeClock clock;
  Pacer pacer(clock.alarm());
  pace(pacer, 1e-3);
  for (int i = 0; i < 10; ++i) {
    clock.late = i % 2 == 0 ? 60e-6 : 20e-6;
    pace(pacer, 1e-3);
    EXPECT_NEAR(clock.time, pacer.done(), 0.1 * 60e-6 + 2 * kLook) << i;
  }
}

TEST(Pacer, AKernelBeginsWhenItIsAskedForWhereTheDeviceRests) {
  MadeClock clock;
  Pacer pacer(clock.alarm());
  pace(pacer, 1e-3);
  clock.time += 5e-3;
  pacer.catch_up();  // of what it had caught up with before
  pacer.pace(1e-3);
  EXPECT_NEAR(pacer.done(), 100 + 7e-3, 5 * kReading);
}

// Had the kernel ended in time, the wait would have begun earlier, and ended when it did.
TEST(Pacer, AWaitIsNotShortenedByWhatAKernelWasLate) {
  MadeClock clock;
  Pacer pacer(clock.alarm());
  pace(pacer, 1e-3);
  clock.time += 5e-3;
  pacer.waited(5e-3);
  pace(pacer, 1e-3);
  EXPECT_NEAR(clock.elapsed(), 7e-3 + clock.late, kLook);
}

TEST(Pacer, DoesNotMakeUpForStarvation) {
  MadeClock clock{.late = 20e-3};
  Pacer pacer(clock.alarm());
  pace(pacer, 1e-3);
  clock.late = 0;
  pace(pacer, 5e-3);
  EXPECT_NEAR(clock.elapsed(), 1e-3 + 20e-3 + 5e-3 - 1e-3, kLook);
  clock.late = 60e-6;
  pace(pacer, 1e-3);
  EXPECT_NEAR(clock.time, pacer.done() + 60e-6, kLook) << "no sleep is cut short for it";
}

TEST(Pacer, SleepsByTheSystemsClockAndNeedsNoCore) {
  const auto core_time = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec);
  };
  Pacer pacer;
  const Seconds core_begin = core_time();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) pace(pacer, 5e-3);
  const std::chrono::duration<Seconds> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took.count(), 20 * 5e-3 - 20 * 1e-6);
  EXPECT_LT(core_time() - core_begin, 0.02);
}

}  // namespace
}  // namespace tandem
