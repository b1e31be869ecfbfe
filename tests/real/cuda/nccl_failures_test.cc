// What becomes of a member whose NCCL fails, by the stand-in. Every rank runs every test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/collectives/ring.h"
#include "core/comm/elementwise.h"
#include "core/comm/errors.h"
#include "real/cuda/collectives/nccl.h"
#include "real/cuda/mirror.h"
#include "real/mpi/worker.h"
#include "tests/real/cuda/host_nccl.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::cuda {
namespace {

using mpi::session;

class NcclFailures : public testing::Test {
 protected:
  void SetUp() override {
    if (session().size() == 1) GTEST_SKIP() << "takes others";
    HostNccl::aborts = 0;
    worker_.emplace(MPI_COMM_WORLD);
    worker_->set_devices([](MPI_Comm comm, const mpi::Node&) {
      return std::make_unique<NcclCollectives>(comm, session().rank());
    });
    worker_->set_mirrors(
        [engine = std::shared_ptr(make_engine(0, Arithmetic::kFloat32))](const View& host) {
          return std::make_shared<CudaMirror>(engine, host);
        });
    buffer_ = worker_->allocate(9000, DType::kFloat32);
    convert(buffer_.view(), buffer_.view());  // on the GPU
  }
  void TearDown() override {
    HostNccl::failure.clear();
    worker_.reset();
  }
  Handle start() {
    return worker_->start(ring_all_reduce(session().size(), session().rank(), 9000),
                          buffer_.view());
  }

  std::optional<mpi::MpiWorker> worker_;
  Buffer buffer_;
};

TEST_F(NcclFailures, AreErrorsThatEndWhatIsInFlight) {
  Handle first = start(), second = start();
  HostNccl::failure = "ncclAllReduce: a link is down";
  for (Handle* handle : {&first, &second}) {
    EXPECT_THAT([&] { worker_->wait(*handle); },
                testing::ThrowsMessage<CallFailed>("ncclAllReduce: a link is down"));
  }
  EXPECT_EQ(HostNccl::aborts, 1);
}

// Rank 0's patience ends, and the others wait for it until then.
TEST_F(NcclFailures, OfPatienceEndWhatIsInFlight) {
  const bool is_impatient = session().rank() == 0;
  if (is_impatient) worker_->set_patience(0.05);
  Handle nobody_sends =
      worker_->receive(is_impatient ? 1 : 0, 1, make_host_buffer(10, DType::kFloat32).view());
  if (is_impatient) {
    EXPECT_THROW(worker_->wait(nobody_sends), Timeout);
    EXPECT_EQ(HostNccl::aborts, 1);
  } else {
    EXPECT_THROW(worker_->wait(nobody_sends), PeerLost);
  }
}

}  // namespace
}  // namespace tandem::cuda
