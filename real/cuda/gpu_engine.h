#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include <array>
#include <map>
#include <type_traits>
#include <vector>

#include "real/cuda/engine.h"
#include "real/cuda/library_check.h"

namespace tandem::cuda {

/// Owns what CUDA or a library gave out.
template <typename Thing, auto destroy>
struct Destroyer {
  void operator()(Thing thing) const { static_cast<void>(destroy(thing)); }
};
template <typename Thing, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Thing>, Destroyer<Thing, destroy>>;

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using CudnnHandle = Owned<cudnnHandle_t, cudnnDestroy>;
using CublasHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
using ProductDesc = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using MatrixLayout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

/// A product made ready for a shape. As cuBLAS takes columns where we take rows, it computes the
/// transposed product: `b` and `a` change places.
struct ProductPlan {
  ProductDesc product;
  MatrixLayout b, a, to;
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace_bytes = 0;
};

/// What a product is planned by: all of it but where it lies, of which the alignment counts.
using ProductKey = std::array<std::int64_t, 27>;

class GpuEngine final : public Engine {
 public:
  GpuEngine(int device, Arithmetic arithmetic);
  ~GpuEngine() override;

  void bind_thread() override { check(cudaSetDevice(device_), "cudaSetDevice"); }
  Storage allocate(std::size_t bytes) override;
  Storage allocate_block(std::size_t bytes) override;
  BlockName name_block(const Storage& block) override;
  Storage reach_block(const BlockName& name) override;
  Storage allocate_host(std::size_t bytes) override;
  std::shared_ptr<void> pin(std::byte* data, std::size_t bytes) override;
  std::unique_ptr<Event> make_event() override;
  void drain() noexcept override;
  std::byte* scratch(std::size_t bytes) override { return grown(scratch_, bytes); }
  void zero(std::byte* data, std::size_t bytes) override;
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void copy_in(Queue queue, std::byte* device, const void* host, std::size_t bytes) override;
  void copy_out(Queue queue, void* host, const std::byte* device, std::size_t bytes) override;
  void multiply(const Product& product) override;
  std::shared_ptr<Convolution> convolution(const ConvolutionShape& shape) override;
  bool records() const override { return true; }
  void begin_recording() override;
  std::unique_ptr<Recording> end_recording() override;
  void drop_recording() noexcept override;
  void launch(const Recording& recording) override;
  void* stream() const override { return stream_of(Queue::kCompute); }

  bool is_recording() const { return is_recording_; }
  cudaStream_t stream_of(Queue queue) const { return streams_[static_cast<int>(queue)].get(); }
  cudnnHandle_t cudnn();
  Arithmetic arithmetic() const { return arithmetic_; }

  /// What one call of a library may use for that: a small part of the GPU's memory.
  std::size_t most_workspace() const { return most_workspace_; }
  /// Memory that a library may use within one call; what it held before is lost.
  void* workspace(std::size_t bytes) { return grown(workspace_, bytes); }

 private:
  /// Memory that is as large as the most that was asked for.
  struct Growing {
    Storage memory;
    std::size_t bytes = 0;
  };

  std::byte* grown(Growing& growing, std::size_t bytes);
  ProductPlan& plan_of(const Product& product);
  ProductPlan make_plan(const Product& product);
  cublasLtHandle_t cublas();

  int device_;
  Arithmetic arithmetic_;
  std::size_t most_workspace_ = 0;
  bool is_recording_ = false, has_recorded_ = false;
  std::array<Stream, kQueues> streams_;
  CudnnHandle cudnn_;
  CublasHandle cublas_;
  Growing workspace_, scratch_;
  std::vector<Storage> retired_;  ///< what those were, which recordings use
  std::map<ProductKey, ProductPlan> plans_;
  struct KnownConvolution {
    ConvolutionShape shape;
    std::shared_ptr<Convolution> convolution;
  };
  std::vector<KnownConvolution> convolutions_;
};

cudaDataType_t cuda_type(DType dtype);

}  // namespace tandem::cuda
