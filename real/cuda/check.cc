#include "real/cuda/check.h"

#include <fmt/format.h>

#include "real/cuda/engine.h"
#include "real/cuda/library_check.h"

namespace tandem::cuda {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw CallFailed(
      fmt::format("{}: {} ({})", call, cudaGetErrorString(status), cudaGetErrorName(status)));
}

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw CallFailed(fmt::format("{}: {}", call, cudnnGetErrorString(status)));
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CallFailed(fmt::format("{}: {}", call, cublasLtGetStatusName(status)));
}

}  // namespace tandem::cuda
