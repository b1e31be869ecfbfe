// Standard error while a guard lives, and after.

#include "sim/abort_guard.h"

#include <gmock/gmock.h>

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
