#include "tests/sim/forked_engine.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"

namespace tandem {
namespace {

constexpr int kExitTestFailed = 77;

/// What the child writes and the parent reads.
struct Shared {
  char message[2048];
  double values[1];  ///< and more
};

int run_body(const std::function<void(std::span<double>)>& body, Shared& shared,
             std::size_t values) {
  const auto tell = [&](const std::exception& error, int code) {
    std::strncpy(shared.message, error.what(), sizeof shared.message - 1);
    return code;
  };
  try {
    body({shared.values, values});
  } catch (const InputError& error) {
    return tell(error, kExitBadInput);
  } catch (const std::exception& error) {
    return tell(error, kExitRunFailed);
  }
  return testing::Test::HasFailure() ? kExitTestFailed : 0;
}

std::string read_all(int file) {
  std::string text;
  char part[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, part, sizeof part)) > 0;) text.append(part, got);
  return text;
}

}  // namespace

ChildOutcome in_child(const std::function<void(std::span<double>)>& body, std::size_t values) {
  const std::size_t bytes = sizeof(Shared) + values * sizeof(double);
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const int captured = memfd_create("stderr", 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(captured, STDERR_FILENO);
    const int code = run_body(body, *shared, values);
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ChildOutcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.message = shared->message;
  outcome.standard_error = read_all(captured);
  outcome.values.assign(shared->values, shared->values + values);
  close(captured);
  munmap(shared, bytes);
  EXPECT_NE(outcome.exit_code, kExitTestFailed) << "an assertion failed in the child, see above";
  EXPECT_LT(outcome.exit_code, 128) << "the child died: " << outcome.standard_error;
  return outcome;
}

std::string test_platform(const std::string& name) {
  return std::filesystem::path(TANDEM_TEST_PLATFORMS) / (name + ".xml");
}

void in_good_child(const std::function<void()>& body) {
  const ChildOutcome outcome = in_child([&](std::span<double>) { body(); });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

MemberDevice unit_device() {
  return {[](const Kernel& kernel, int) { return kernel.flops; }, [](std::size_t) { return 0.0; }};
}

ChildOutcome try_job(const std::string& platform, int members, JobOptions options,
                     const std::function<void(Worker&, std::span<double>)>& member) {
  return in_child(
      [&](std::span<double> values) {
        Engine engine(test_platform(platform), options.depth);
        if (options.devices.empty()) options.devices.assign(members, unit_device());
        Job job(engine, std::move(options));
        job.run([&](Worker& worker) { member(worker, values); });
      },
      static_cast<std::size_t>(members));
}

std::vector<double> run_job(const std::string& platform, int members, JobOptions options,
                            const std::function<void(Worker&, std::span<double>)>& member) {
  ChildOutcome outcome = try_job(platform, members, std::move(options), member);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return std::move(outcome.values);
}

void pass(Worker& worker, Seconds seconds) {
  Kernel kernel{.phase = Phase::kForward, .name = "pass", .flops = seconds, .bytes = 0, .body = {}};
  Handle handle = worker.compute(kernel);
  worker.wait(handle);
}

}  // namespace tandem
