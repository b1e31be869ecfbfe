// main() of every test executable that runs under mpirun: each rank runs the same tests in the same
// order. Only rank 0 prints passes; every rank prints its failures.

#include <gtest/gtest.h>

#include "real/mpi/session.h"
#include "tests/real/mpi/mpi_world.h"
#include "tests/real/mpi/watchdog.h"

namespace tandem::mpi {
namespace {

const Session* the_session = nullptr;

/// Says which rank a failure is of.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", session().rank(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 result.message());
  }
};

}  // namespace

const Session& session() {
  return *the_session;
}

}  // namespace tandem::mpi

int main(int argc, char** argv) {
  using namespace tandem::mpi;
  testing::InitGoogleTest(&argc, argv);
  const Session session(argc, argv);
  the_session = &session;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (session.rank() > 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter);
  listeners.Append(new Watchdog(session.rank()));
  return RUN_ALL_TESTS();
}
