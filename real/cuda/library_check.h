#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include "real/cuda/check.h"

namespace tandem::cuda {

/// As those of CUDA's own calls.
void check(cudnnStatus_t status, const char* call);
void check(cublasStatus_t status, const char* call);

}  // namespace tandem::cuda
