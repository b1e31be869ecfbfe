// cuBLASLt's functions, as cublasLt.h declares them: the library is loaded when the first of them
// is called. A program linked with it takes 0.2 s longer to start, for its 400 000 relocations, and
// most ranks compute on no GPU.

#include <cublasLt.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "real/cuda/engine.h"

namespace tandem::cuda {
namespace {

/// That of this build, or where it isn't there one of the same major version, wherever programs
/// find theirs. Throws CallFailed where there is none.
void* library() {
  static void* const opened = [] {
    const std::string name = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
    std::string problems;
    for (const std::string& file : {TANDEM_CUBLASLT_FOLDER "/" + name, name}) {
      if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr)
        return handle;
      problems += fmt::format("{}{}", problems.empty() ? "" : "; ", dlerror());
    }
    throw CallFailed(fmt::format("{} can't be loaded: {}", name, problems));
  }();
  return opened;
}

/// The library's own function of that type and name. Throws CallFailed where it has none.
template <typename Function>
Function* find(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr) throw CallFailed(fmt::format("libcublasLt has no {}", name));
  return reinterpret_cast<Function*>(found);
}

}  // namespace
}  // namespace tandem::cuda

// Each looks its function up once.
#define TANDEM_CALL(name, ...)                                             \
  static auto* const function = tandem::cuda::find<decltype(name)>(#name); \
  return function(__VA_ARGS__)

extern "C" {

std::size_t cublasLtGetVersion() {
  TANDEM_CALL(cublasLtGetVersion);
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
  TANDEM_CALL(cublasLtGetStatusName, status);
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  TANDEM_CALL(cublasLtCreate, handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  TANDEM_CALL(cublasLtDestroy, handle);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t stride) {
  TANDEM_CALL(cublasLtMatrixLayoutCreate, layout, type, rows, columns, stride);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  TANDEM_CALL(cublasLtMatrixLayoutDestroy, layout);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  TANDEM_CALL(cublasLtMatrixLayoutSetAttribute, layout, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product,
                                        cublasComputeType_t arithmetic, cudaDataType_t scale_type) {
  TANDEM_CALL(cublasLtMatmulDescCreate, product, arithmetic, scale_type);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  TANDEM_CALL(cublasLtMatmulDescDestroy, product);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  TANDEM_CALL(cublasLtMatmulDescSetAttribute, product, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  TANDEM_CALL(cublasLtMatmulPreferenceCreate, preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  TANDEM_CALL(cublasLtMatmulPreferenceDestroy, preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  TANDEM_CALL(cublasLtMatmulPreferenceSetAttribute, preference, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* choices,
                                              int* count) {
  TANDEM_CALL(cublasLtMatmulAlgoGetHeuristic, handle, product, a, b, c, d, preference, wanted,
              choices, count);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  TANDEM_CALL(cublasLtMatmul, handle, product, alpha, a, a_layout, b, b_layout, beta, c, c_layout,
              d, d_layout, algorithm, workspace, workspace_bytes, stream);
}

}  // extern "C"

#undef TANDEM_CALL
