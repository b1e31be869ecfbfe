#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/record/journal.h"
#include "core/scenario/scenario.h"

namespace tandem::mpi {

/// Has this process killed when the scenario's faults say so: SIGKILL, which nothing of it
/// survives, after a note in the journal.
class DueFailure {
 public:
  /// `began` is when the job did, since 1970: FailSpec::at counts from there. Only faults that name
  /// `rank` are meant.
  DueFailure(const Scenario& scenario, int rank, Seconds began, const Journal& journal);
  DueFailure(const DueFailure&) = delete;
  DueFailure& operator=(const DueFailure&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any asleep_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace tandem::mpi
