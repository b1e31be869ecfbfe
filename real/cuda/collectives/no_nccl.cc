// Where NCCL is not installed.

#include "real/cuda/collectives/nccl.h"

namespace tandem::cuda {

std::string why_no_nccl() {
  return "this build was configured without NCCL; install it (nccl.h and libnccl), and configure "
         "anew";
}

std::string nccl_version() {
  return "no NCCL";
}

std::string make_nccl_id() {
  throw CallFailed(why_no_nccl());
}

std::unique_ptr<NcclRanks> join_nccl(Engine&, const std::string&, int, int) {
  throw CallFailed(why_no_nccl());
}

}  // namespace tandem::cuda
