#include "tests/real/mpi/watchdog.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace tandem::mpi {
namespace {

// Put together beforehand: a signal handler may only write.
char message[512];

extern "C" void on_alarm(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
  _exit(3);
}

}  // namespace

Watchdog::Watchdog(int rank) {
  std::snprintf(message, sizeof message, "watchdog: rank %d hangs in ", rank);
  std::signal(SIGALRM, on_alarm);
}

void Watchdog::OnTestStart(const testing::TestInfo& test) {
  char* name = std::strstr(message, " in ") + 4;
  std::snprintf(name, message + sizeof message - name, "%s.%s\n", test.test_suite_name(),
                test.name());
  alarm(kSecondsATest);
}

void Watchdog::OnTestEnd(const testing::TestInfo&) {
  alarm(0);
}

}  // namespace tandem::mpi
