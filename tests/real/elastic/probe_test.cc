#include "real/elastic/probe.h"

#include <gtest/gtest.h>

#include "core/command/naps.h"

namespace tandem::elastic {
namespace {

TEST(Probe, HearsOfThoseWhoseProcessEndedWell) {
  Probe probe;
  probe.ask({0, 3}, {"true"}, "/dev/null");
  probe.ask({1}, {"false"}, "/dev/null");
  probe.ask({2}, {"tail", "-f", "/dev/null"}, "/dev/null");  // never answers
  EXPECT_FALSE(probe.poll()) << "waits for an answer";
  std::optional<std::vector<int>> there;
  for (Naps naps; !(there = probe.poll()); naps.take()) continue;
  EXPECT_EQ(*there, (std::vector<int>{0, 3}));
}

TEST(Probe, OfNobodyIsDone) {
  EXPECT_EQ(Probe().poll(), std::vector<int>{});
}

}  // namespace
}  // namespace tandem::elastic
