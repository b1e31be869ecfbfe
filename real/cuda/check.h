#pragma once

#include <cuda_runtime_api.h>

namespace tandem::cuda {

/// Throws CallFailed, "CALL: what CUDA says", where a call failed. Takes the error away, so that it
/// is not reported again.
void check(cudaError_t status, const char* call);

}  // namespace tandem::cuda
