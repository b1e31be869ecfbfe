#include "real/mpi/variable.h"

#include <gtest/gtest.h>
#include <mpi.h>

namespace tandem::mpi {
namespace {

// As the tools interface says, whose answer takes longer.
TEST(Variables, TellWhetherMpiYieldsWhenIdle) {
  EXPECT_EQ(yields_when_idle(), variable("mpi_yield_when_idle").value_or(0) != 0);
#ifdef OPEN_MPI
  EXPECT_TRUE(yields_when_idle()) << "tests are run so";
#endif
}

}  // namespace
}  // namespace tandem::mpi
