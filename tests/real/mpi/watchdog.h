#pragma once

#include <gtest/gtest.h>

namespace tandem::mpi {

/// Ends the process, and with it the job, where one test takes longer than kSecondsATest, and says
/// which rank hung in which test. A googletest listener.
class Watchdog final : public testing::EmptyTestEventListener {
 public:
  static constexpr unsigned kSecondsATest = 100;

  explicit Watchdog(int rank);

  void OnTestStart(const testing::TestInfo& test) override;
  void OnTestEnd(const testing::TestInfo& test) override;
};

}  // namespace tandem::mpi
