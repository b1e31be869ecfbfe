// What stands in for NCCL where tests have no GPU: sums by MPI, in whatever order that takes.

#include "tests/real/cuda/host_nccl.h"

#include <mpi.h>

#include <vector>

#include "core/comm/elementwise.h"
#include "real/cuda/collectives/nccl.h"

namespace tandem::cuda {
namespace {

class HostNcclRanks final : public NcclRanks {
 public:
  HostNcclRanks() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~HostNcclRanks() override { MPI_Comm_free(&comm_); }

  void all_reduce(std::byte* data, std::size_t elements, DType dtype) override {
    const View view{data, elements, dtype};
    const Buffer sums = make_host_buffer(elements, DType::kFloat32);
    convert(sums.view(), view);
    MPI_Allreduce(MPI_IN_PLACE, sums.view().data, static_cast<int>(elements), MPI_FLOAT, MPI_SUM,
                  comm_);
    convert(view, sums.view());
  }
  void require_well() override {
    if (!HostNccl::failure.empty()) throw CallFailed(HostNccl::failure);
  }
  void abort() noexcept override { ++HostNccl::aborts; }
  void leave() override {}

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

std::string why_no_nccl() {
  return "";
}

std::string nccl_version() {
  return "a stand-in";
}

std::string make_nccl_id() {
  return "a stand-in's";
}

std::unique_ptr<NcclRanks> join_nccl(Engine&, const std::string& id, int, int) {
  if (id != "a stand-in's") throw CallFailed("ncclCommInitRank: not the id that rank 0 made");
  return std::make_unique<HostNcclRanks>();
}

}  // namespace tandem::cuda
