#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/comm/buffer.h"
#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// What layers and the network need of CUDA, and all they know of it: no CUDA header is included
// here. engine.cc, launch.cu and what is beside them do it on a GPU; tests link a stand-in that
// does it on the processor, so that everything above can be tested where no GPU is.

/// What products and convolutions are computed in. Sums are always float32.
enum class Arithmetic {
  kFloat32,   ///< products of float32 too
  kTf32,      ///< float32 whose factors are rounded to 10 fraction bits, as tensor cores take them
  kFloat16,   ///< activations and copies of the weights have 16 bits
  kBFloat16,  ///< likewise
};

/// The type of activations.
constexpr DType activation_dtype(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFloat16) return DType::kFloat16;
  return arithmetic == Arithmetic::kBFloat16 ? DType::kBFloat16 : DType::kFloat32;
}

/// Work of a queue is done in order. Kernels go to the first; copies to and from the host may go
/// beside them.
enum class Queue { kCompute, kUpload, kDownload };
inline constexpr int kQueues = 3;

/// A call of CUDA or one of its libraries that failed: "cudnnConvolutionForward: ...". The network
/// puts the layer's name before it.
class CallFailed : public RunError {
 public:
  using RunError::RunError;
};

/// Memory of the GPU, or of the host where the GPU reaches it directly.
using Storage = std::shared_ptr<std::byte>;

class Engine;

/// A point in a queue of an engine, which may be another each time. Before record() it counts as
/// passed.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Engine& engine, Queue queue) = 0;
  /// Work that is queued there from now on goes on only after the point; this thread doesn't wait.
  virtual void hold(Engine& engine, Queue queue) const = 0;
  /// Blocks until all before the point is done. Throws CallFailed where some of it failed.
  virtual void wait() const = 0;
  /// Whether it is, without waiting; throws likewise.
  virtual bool has_passed() const = 0;
};

/// Names memory of a GPU to other processes of its host.
using BlockName = std::array<std::uint64_t, 8>;

/// A row-major matrix, or `count` of them, each `step` elements after the last.
struct Matrix {
  std::byte* data;
  DType dtype;
  int rows, columns;  ///< as it lies in memory
  int stride;         ///< elements from one row to the next
  std::int64_t step = 0;
  bool transposed = false;  ///< is taken so

  int taken_rows() const { return transposed ? columns : rows; }
  int taken_columns() const { return transposed ? rows : columns; }
};

/// to = factor * a b, plus `bias` to each row where there is one, added to what is there where it
/// `adds`. `bias` is float32, and only with a float32 `to`; a and b have one type.
struct Product {
  Matrix a, b, to;
  float factor = 1;
  const float* bias = nullptr;
  bool adds = false;
  int count = 1;  ///< independent products
};

/// A convolution, forward and backward: of tensors of `dtype` in one layout, weights likewise in
/// {outputs, inputs / groups, height, width}.
struct ConvolutionShape {
  Geometry input, output;
  int kernel_height, kernel_width;
  int stride_height, stride_width;
  int padding_height, padding_width;
  int groups;
  DType dtype;

  Geometry weights() const {
    return {output.channels, input.channels / groups, kernel_height, kernel_width, input.layout};
  }
  bool operator==(const ConvolutionShape&) const = default;
};

/// A convolution made ready, with algorithms chosen for its shape, each of which gives the same
/// bits every time. Without a bias.
class Convolution {
 public:
  virtual ~Convolution() = default;
  virtual void forward(const std::byte* input, const std::byte* weights, std::byte* output) = 0;
  virtual void backward_weights(const std::byte* input, const std::byte* output_gradient,
                                std::byte* weight_gradient) = 0;
  /// Adds to what is there where it `adds`.
  virtual void backward_input(const std::byte* weights, const std::byte* output_gradient,
                              std::byte* input_gradient, bool adds) = 0;
};

/// Work that was recorded from a queue, to be done again and again.
class Recording {
 public:
  virtual ~Recording() = default;
};

/// One GPU as a network, or all of a rank, use it: its queues, its memory and the libraries'
/// handles. Used by one thread at a time. Every function throws CallFailed where a call fails.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Makes the calling thread one that uses this GPU; goes before all else that a thread calls.
  virtual void bind_thread() = 0;

  /// Not initialised, aligned to 256 bytes, and freed with its last owner. It must live until the
  /// work that was queued on it is done.
  virtual Storage allocate(std::size_t bytes) = 0;
  /// The same, such that another process can be given it: it takes whole pages of the GPU, of
  /// 2 MiB, since no less can be given.
  virtual Storage allocate_block(std::size_t bytes) = 0;
  /// What another process of this host reaches a block by, for as long as this one has it.
  virtual BlockName name_block(const Storage& block) = 0;
  /// A block of another process, which must not free it before the result is gone. Throws where
  /// this GPU doesn't reach the other's memory.
  virtual Storage reach_block(const BlockName& name) = 0;
  /// Memory of the host for fast copies, not initialised.
  virtual Storage allocate_host(std::size_t bytes) = 0;
  /// Makes copies from and to this memory of the host fast, for as long as the result lives; null
  /// where the system refuses, which does no harm but to speed.
  virtual std::shared_ptr<void> pin(std::byte* data, std::size_t bytes) = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Waits for all that is queued, and asks for no errors: goes before memory that it uses is
  /// freed.
  virtual void drain() noexcept = 0;
  /// Memory of the GPU for what is queued next to compute; the next call may give the same.
  virtual std::byte* scratch(std::size_t bytes) = 0;

  virtual void zero(std::byte* data, std::size_t bytes) = 0;  ///< in Queue::kCompute
  /// On the GPU, in Queue::kCompute.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  /// The host's memory must stay as it is until the queue has passed it.
  virtual void copy_in(Queue queue, std::byte* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(Queue queue, void* host, const std::byte* device, std::size_t bytes) = 0;

  /// In Queue::kCompute, as all that follows.
  virtual void multiply(const Product& product) = 0;
  /// The same for the same shape; lives no longer than the engine.
  virtual std::shared_ptr<Convolution> convolution(const ConvolutionShape& shape) = 0;

  /// Whether work can be recorded: as one launch it takes a small part of the time that a processor
  /// needs to queue it piece by piece.
  virtual bool records() const { return false; }
  /// What is queued in Queue::kCompute between these two is not done, but is what launch() does,
  /// which uses the same memory. Nothing may be allocated or waited for meanwhile.
  virtual void begin_recording() {}
  virtual std::unique_ptr<Recording> end_recording() { return nullptr; }
  /// Ends it where what was to be recorded failed.
  virtual void drop_recording() noexcept {}
  virtual void launch(const Recording&) {}

  /// A CUDA stream, for launch.cu; null of a stand-in.
  virtual void* stream() const = 0;
};

/// On GPU `device`. Throws CallFailed where it can't be used.
std::unique_ptr<Engine> make_engine(int device, Arithmetic arithmetic);

/// GPUs that this process can use; 0 where there is no driver. `reason` tells why there are none.
int device_count(std::string* reason = nullptr);
/// "NVIDIA H100 80GB HBM3", for results.
std::string device_name(int device);
/// Which of its host's GPUs it is, whatever this process calls it: "0000:1B:00.0".
std::string device_place(int device);
/// Of the driver, the toolkit and its libraries: "CUDA 13.0 (driver 13.0), cuDNN 9.19.0, ...".
std::string library_versions();

/// Does `work(i)` for every i in [0, items): each item by itself, in any order. Work is one of
/// those in kernels/works.inc.
template <typename Work>
void launch_items(Engine& engine, int items, const Work& work);
/// Does `work(g, lanes)` for every group g in [0, groups) (kernels/sums.h).
template <typename Work>
void launch_groups(Engine& engine, int groups, const Work& work);

}  // namespace tandem::cuda
