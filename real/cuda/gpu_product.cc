#include <fmt/format.h>

#include <bit>

#include "real/cuda/gpu_engine.h"

namespace tandem::cuda {
namespace {

constexpr std::size_t kMostProductWorkspace = 32UL << 20U;

/// The largest power of two, up to 256, that the address is a multiple of.
std::uint32_t alignment_of(const std::byte* data) {
  constexpr std::uintptr_t kMost = 256;
  return static_cast<std::uint32_t>(
      std::uintptr_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(data) | kMost));
}

ProductKey key_of(const Product& product) {
  ProductKey key{};
  std::size_t next = 0;
  for (const Matrix* matrix : {&product.a, &product.b, &product.to}) {
    for (const std::int64_t fact :
         {std::int64_t(matrix->dtype), std::int64_t(matrix->rows), std::int64_t(matrix->columns),
          std::int64_t(matrix->stride), matrix->step, std::int64_t(matrix->transposed),
          std::int64_t(alignment_of(matrix->data))}) {
      key.at(next++) = fact;
    }
  }
  key.at(next++) = product.bias != nullptr;
  key.at(next++) = product.adds;
  key.at(next++) = product.count;
  return key;
}

/// Row-major rows are columns to cuBLAS.
MatrixLayout layout_of(const Matrix& matrix, int count) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, cuda_type(matrix.dtype), matrix.columns, matrix.rows,
                                   matrix.stride),
        "cublasLtMatrixLayoutCreate");
  MatrixLayout owned(layout);
  const std::int32_t batch = count;
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                         sizeof(batch)),
        "cublasLtMatrixLayoutSetAttribute");
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &matrix.step, sizeof(matrix.step)),
        "cublasLtMatrixLayoutSetAttribute");
  return owned;
}

template <typename Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
}

template <typename Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

ProductDesc describe(const Product& product, Arithmetic arithmetic) {
  const bool rounds = arithmetic == Arithmetic::kTf32;
  cublasLtMatmulDesc_t description = nullptr;
  check(cublasLtMatmulDescCreate(
            &description, rounds ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  ProductDesc owned(description);
  const auto operation = [](const Matrix& matrix) {
    return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  set(description, CUBLASLT_MATMUL_DESC_TRANSA, operation(product.b));
  set(description, CUBLASLT_MATMUL_DESC_TRANSB, operation(product.a));
  if (product.bias != nullptr) {
    set(description, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(product.bias));
  }
  return owned;
}

}  // namespace

ProductPlan GpuEngine::make_plan(const Product& product) {
  ProductPlan plan{.product = describe(product, arithmetic_),
                   .b = layout_of(product.b, product.count),
                   .a = layout_of(product.a, product.count),
                   .to = layout_of(product.to, product.count)};
  using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const Preference owned(preference);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostProductWorkspace);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(product.b.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(product.a.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(product.to.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(product.to.data));
  cublasLtMatmulHeuristicResult_t choice{};
  int choices = 0;
  check(cublasLtMatmulAlgoGetHeuristic(cublas(), plan.product.get(), plan.b.get(), plan.a.get(),
                                       plan.to.get(), plan.to.get(), preference, 1, &choice,
                                       &choices),
        "cublasLtMatmulAlgoGetHeuristic");
  if (choices == 0) {
    throw CallFailed(fmt::format("cublasLtMatmulAlgoGetHeuristic: nothing for {} x {} x {}",
                                 product.to.rows, product.to.columns, product.a.taken_columns()));
  }
  plan.algorithm = choice.algo;
  plan.workspace_bytes = choice.workspaceSize;
  return plan;
}

ProductPlan& GpuEngine::plan_of(const Product& product) {
  const ProductKey key = key_of(product);
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  return plans_.emplace(key, make_plan(product)).first->second;
}

void GpuEngine::multiply(const Product& product) {
  ProductPlan& plan = plan_of(product);
  if (product.bias != nullptr) {  // of the same shape there may be several
    set(plan.product.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
        static_cast<const void*>(product.bias));
  }
  const float kept = product.adds ? 1 : 0;
  check(cublasLtMatmul(cublas(), plan.product.get(), &product.factor, product.b.data, plan.b.get(),
                       product.a.data, plan.a.get(), &kept, product.to.data, plan.to.get(),
                       product.to.data, plan.to.get(), &plan.algorithm,
                       workspace(plan.workspace_bytes), plan.workspace_bytes,
                       stream_of(Queue::kCompute)),
        "cublasLtMatmul");
}

}  // namespace tandem::cuda
