// What is loaded when it is first called, without a GPU.

#include <cublasLt.h>
#include <gtest/gtest.h>

namespace {

TEST(CublasLt, HasTheFunctionsThatDescribeProducts) {
  EXPECT_EQ(cublasLtGetVersion() / 10000, CUBLAS_VER_MAJOR);
  EXPECT_STREQ(cublasLtGetStatusName(CUBLAS_STATUS_SUCCESS), "CUBLAS_STATUS_SUCCESS");
  cublasLtMatrixLayout_t layout = nullptr;
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 3, 4, 3), CUBLAS_STATUS_SUCCESS);
  const std::int32_t batch = 2;
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                             sizeof(batch)),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulDesc_t product = nullptr;
  ASSERT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  const cublasOperation_t transposed = CUBLAS_OP_T;
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                           sizeof(transposed)),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  const std::size_t workspace = 1 << 20;
  EXPECT_EQ(
      cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                           &workspace, sizeof(workspace)),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulPreferenceDestroy(preference), CUBLAS_STATUS_SUCCESS);
}

// Without a handle there is nothing that they could do, which is for them to say.
TEST(CublasLt, HasTheFunctionsThatMultiply) {
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 4, 4, 4), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  cublasLtHandle_t handle = nullptr;
  EXPECT_NO_THROW({
    if (cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS) cublasLtDestroy(handle);
  });
  cublasLtMatmulHeuristicResult_t choice{};
  int choices = 0;
  EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(nullptr, product, layout, layout, layout, layout,
                                           preference, 1, &choice, &choices),
            CUBLAS_STATUS_NOT_INITIALIZED);
  const float one = 1;
  EXPECT_EQ(cublasLtMatmul(nullptr, product, &one, nullptr, layout, nullptr, layout, &one, nullptr,
                           layout, nullptr, layout, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_NOT_INITIALIZED);
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(product);
  cublasLtMatrixLayoutDestroy(layout);
}

}  // namespace
