#include "real/mpi/communicator.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "core/base/processors.h"
#include "real/mpi/cpu_limit.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

/// This process on that one of the cores that it may use, until this is destroyed.
class Bound {
 public:
  explicit Bound(int index) : before_(allowed_processors()) {
    int core = 0;
    while (!CPU_ISSET(core, &before_) || index-- > 0) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  cpu_set_t before_;
};

TEST(Communicator, CountsTheCoresThatRanksHaveTogether) {
  Communicator comm(MPI_COMM_WORLD);
  const int ranks = session().size(), own = processor_count();
  const auto limit = cpu_limit();
  const bool may_be_enough = !limit || limit->processors >= ranks;
  {
    const Bound apart(session().rank() % own);
    EXPECT_EQ(processor_count(), 1);
    EXPECT_EQ(comm.has_cores_for_all(), ranks <= own && may_be_enough);
  }
  {
    const Bound together(0);
    EXPECT_EQ(comm.has_cores_for_all(), ranks == 1 && may_be_enough);
  }
  comm.free();
}

}  // namespace
}  // namespace tandem::mpi
