#include "real/mpi/due_failure.h"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace tandem::mpi {
namespace {

constexpr Seconds kNever = 1e9;  // some 30 years: clocks' counts end

std::chrono::system_clock::time_point since_1970(Seconds time) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::duration<Seconds>(time)));
}

}  // namespace

DueFailure::DueFailure(const Scenario& scenario, int rank, Seconds began, const Journal& journal) {
  Seconds at = kForever;
  for (const FailSpec& fail : scenario.faults.fail)
    if (fail.target.rank == rank && !fail.is_partition) at = std::min(at, fail.at);
  if (at >= kNever) return;
  thread_ = std::jthread(
      [this, rank, when = since_1970(began + at), journal](const std::stop_token& ended) {
        std::unique_lock lock(mutex_);
        asleep_.wait_until(lock, ended, when, [] { return false; });
        if (ended.stop_requested()) return;
        journal.note(JobMoment::kFails, rank);
        raise(SIGKILL);
      });
}

}  // namespace tandem::mpi
