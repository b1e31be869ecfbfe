#pragma once

#include "real/cuda/kernels/direct.h"
#include "real/cuda/kernels/elementwise.h"
#include "real/cuda/kernels/norms.h"
#include "real/cuda/kernels/pooling.h"
#include "real/cuda/kernels/rows.h"
#include "real/cuda/kernels/subsample.h"
#include "real/cuda/kernels/sums.h"
