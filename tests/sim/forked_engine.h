#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/job.h"

namespace tandem {

// Of tests/sim/platforms/star.xml.
inline constexpr double kStarBandwidth = 1e9;   ///< bytes/s of a link
inline constexpr Seconds kStarLatency = 50e-6;  ///< of a route of two

/// How a child process ended.
struct ChildOutcome {
  int exit_code = 0;           ///< 0, kExitBadInput for InputError, kExitRunFailed for others, ...
  std::string message;         ///< of the exception that left the body
  std::string standard_error;  ///< what it wrote there
  std::vector<double> values;  ///< as the body left them
};

/// Runs `body` in a child process, since a process can make one SimGrid engine only. The body may
/// fill `values`, which the parent gets back. A gtest failure in it fails the test at hand.
ChildOutcome in_child(const std::function<void(std::span<double>)>& body, std::size_t values = 0);

/// The same, where the body leaves nothing and an exception that leaves it fails the test.
void in_good_child(const std::function<void()>& body);

/// Path of tests/sim/platforms/NAME.xml, or NAME.xml where that is an absolute path.
std::string test_platform(const std::string& name);

/// A device for which a kernel takes its `flops` in seconds, and adding is free.
MemberDevice unit_device();

/// Options of a job that is executed exactly.
inline JobOptions exact() {
  JobOptions options;
  options.executor = ExecutorKind::kExact;
  return options;
}

/// Runs a job of `members` in a child, on a test platform, with `options` (devices are filled in).
/// Fails the test where it ends with an exception.
std::vector<double> run_job(const std::string& platform, int members, JobOptions options,
                            const std::function<void(Worker&, std::span<double>)>& member);

/// The same, for jobs that may end with an exception.
ChildOutcome try_job(const std::string& platform, int members, JobOptions options,
                     const std::function<void(Worker&, std::span<double>)>& member);

/// Lets `seconds` of simulated time pass. With unit_device().
void pass(Worker& worker, Seconds seconds);

}  // namespace tandem
