// Standard error while a guard lives, and after.

#include "sim/abort_guard.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "core/base/error.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

TEST(AbortGuard, OneInsideAnotherChangesNothing) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    {
      const AbortGuard outer("outer");
      { const AbortGuard inner("inner"); }
      std::cerr << "meanwhile\n";
    }
    std::cerr << "after\n";
  });
  EXPECT_EQ(outcome.standard_error, "meanwhile\nafter\n");
}

TEST(AbortGuard, WhatIsTakenDoesNotComeOut) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    {
      AbortGuard guard("platform x");
      std::cerr << "first\n";
      const std::string taken = guard.take();
      std::cerr << "and " << taken.size() << " taken\n";
    }
  });
  EXPECT_EQ(outcome.standard_error, "and 6 taken\n");
}

TEST(AbortGuard, NamesTheLineOfThePlatform) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    const AbortGuard guard("platform x");
    std::cerr << "[0.0] [xbt/CRITICAL] Parse error at /a: 1:/b:12: unknown unit: Gbs: no\n";
    std::abort();
  });
  EXPECT_THAT(
      outcome.standard_error,
      testing::StartsWith("tandem: error: platform x:12: unknown unit: Gbs: no; units are "));
}

TEST(AbortGuard, WarningsAreNotWhyItEnded) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    const AbortGuard guard("platform x");
    std::cerr << "[0.0] file:7: [parse/WARNING] a\n[0.0] [parse/WARNING] b\n[0.0] [k/CRITICAL] c\n";
    std::abort();
  });
  EXPECT_EQ(outcome.standard_error, "tandem: error: platform x: c\n");
}

TEST(AbortGuard, ACrashIsOneLine) {
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const ChildOutcome outcome = in_child([=](std::span<double>) {
      const AbortGuard guard("platform x");
      std::raise(signal);
    });
    EXPECT_EQ(outcome.exit_code, kExitBadInput);
    EXPECT_THAT(outcome.standard_error,
                testing::StartsWith("tandem: error: platform x: SimGrid crashed on it; "));
  }
}

TEST(AbortGuard, AnAbortIsOneLine) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    const AbortGuard outer("platform x");
    { const AbortGuard inner("platform x"); }
    std::cerr << "first\nsecond\n";
    std::abort();
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.standard_error, "tandem: error: platform x: first\n");
}

}  // namespace
}  // namespace tandem
