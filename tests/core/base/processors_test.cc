#include "core/base/processors.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Processors, AreThoseThatTheProcessMayUse) {
  const cpu_set_t before = allowed_processors();
  EXPECT_EQ(processor_count(), CPU_COUNT(&before));
  ASSERT_GE(processor_count(), 1);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const cpu_set_t after = allowed_processors();
  EXPECT_TRUE(CPU_EQUAL(&after, &one));
  EXPECT_EQ(processor_count(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace tandem
