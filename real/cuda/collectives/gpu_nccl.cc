// The only file that knows NCCL.

#include <fmt/format.h>
#include <nccl.h>

#include <cstring>
#include <mutex>

#include "real/cuda/collectives/nccl.h"

namespace tandem::cuda {
namespace {

void check(ncclResult_t result, const char* call) {
  if (result != ncclSuccess)
    throw CallFailed(fmt::format("{}: {}", call, ncclGetErrorString(result)));
}

ncclDataType_t nccl_type(DType dtype) {
  if (dtype == DType::kFloat16) return ncclFloat16;
  return dtype == DType::kBFloat16 ? ncclBfloat16 : ncclFloat32;
}

class GpuNcclRanks final : public NcclRanks {
 public:
  GpuNcclRanks(Engine& engine, const ncclUniqueId& id, int ranks, int rank) : engine_(engine) {
    engine.bind_thread();
    check(ncclCommInitRank(&comm_, ranks, id, rank), "ncclCommInitRank");
  }
  ~GpuNcclRanks() override { abort(); }

  void all_reduce(std::byte* data, std::size_t elements, DType dtype) override {
    const std::lock_guard lock(mutex_);
    check(ncclAllReduce(data, data, elements, nccl_type(dtype), ncclSum, comm(),
                        static_cast<cudaStream_t>(engine_.stream())),
          "ncclAllReduce");
  }
  void require_well() override {
    const std::lock_guard lock(mutex_);
    ncclResult_t result = ncclSuccess;
    check(ncclCommGetAsyncError(comm(), &result), "ncclCommGetAsyncError");
    if (result != ncclInProgress) check(result, "ncclAllReduce");
  }
  void abort() noexcept override {
    const std::lock_guard lock(mutex_);
    if (comm_ != nullptr) ncclCommAbort(comm_);
    comm_ = nullptr;
  }
  void leave() override {
    const std::lock_guard lock(mutex_);
    check(ncclCommDestroy(comm()), "ncclCommDestroy");
    comm_ = nullptr;
  }

 private:
  ncclComm_t comm() const {
    if (comm_ == nullptr) throw CallFailed("ncclAllReduce: it was given up before");
    return comm_;
  }

  Engine& engine_;
  std::mutex mutex_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::string why_no_nccl() {
  return "";
}

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");  // 22809: 2.28.9
  return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string make_nccl_id() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  return {reinterpret_cast<const char*>(&id), sizeof id};
}

std::unique_ptr<NcclRanks> join_nccl(Engine& engine, const std::string& bytes, int ranks,
                                     int rank) {
  ncclUniqueId id;
  if (bytes.size() != sizeof id) throw CallFailed("ncclCommInitRank: an id of another version");
  std::memcpy(&id, bytes.data(), sizeof id);
  return std::make_unique<GpuNcclRanks>(engine, id, ranks, rank);
}

}  // namespace tandem::cuda
