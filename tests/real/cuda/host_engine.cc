// What stands in for a GPU where tests have none: the same kernels on this thread, and products and
// convolutions as their definitions say. Memory begins as NaN, so that what reads it before anyone
// wrote to it is found. Work that is recorded is not done before it is launched.

#include "tests/real/cuda/host_engine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "real/cuda/engine.h"
#include "real/cuda/kernels/form_sum.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/kernels/works.h"
#include "tests/real/cuda/convolution_products.h"

namespace tandem::cuda {
namespace {

std::atomic<std::size_t> copied_in = 0, copied_out = 0;

/// Whether this thread was told which GPU is its own.
thread_local bool is_bound = false;

/// Everything is done at once; but who asks for what was done hears it late, as of a GPU.
class HostEvent final : public Event {
 public:
  void record(Engine&, Queue) override { still_asked_ = 3; }
  void hold(Engine&, Queue) const override {}
  void wait() const override { still_asked_ = 0; }
  bool has_passed() const override {
    if (!is_bound) throw CallFailed("cudaEventQuery: by a thread that has no GPU");
    int left = still_asked_;
    while (left > 0 && !still_asked_.compare_exchange_weak(left, left - 1)) {
    }
    return left <= 0;
  }

 private:
  mutable std::atomic<int> still_asked_ = 0;  ///< in vain
};

/// Memory that other processes map, by who has it and the number of its file there.
Storage map_file(int file, std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) throw CallFailed("mmap: refused");
  return {static_cast<std::byte*>(data), [bytes](std::byte* old) { munmap(old, bytes); }};
}

float read(const std::byte* data, DType dtype, std::int64_t i) {
  if (dtype == DType::kFloat16) return as_float(reinterpret_cast<const Float16*>(data)[i]);
  if (dtype == DType::kBFloat16) return as_float(reinterpret_cast<const BFloat16*>(data)[i]);
  return reinterpret_cast<const float*>(data)[i];
}

void write(std::byte* data, DType dtype, std::int64_t i, float value) {
  if (dtype == DType::kFloat16) return store(reinterpret_cast<Float16*>(data)[i], value);
  if (dtype == DType::kBFloat16) return store(reinterpret_cast<BFloat16*>(data)[i], value);
  reinterpret_cast<float*>(data)[i] = value;
}

std::int64_t place(const Matrix& matrix, int index, int row, int column) {
  if (matrix.transposed) std::swap(row, column);
  return index * matrix.step + std::int64_t(row) * matrix.stride + column;
}

/// Does work of the compute queue, or records it.
class Recorder {
 public:
  void queue(std::function<void()> work) {
    recording_ ? recorded_.push_back(std::move(work)) : work();
  }
  void begin() { recording_ = true; }
  std::vector<std::function<void()>> end() {
    recording_ = false;
    return std::exchange(recorded_, {});
  }

 private:
  bool recording_ = false;
  std::vector<std::function<void()>> recorded_;
};

class HostRecording final : public Recording {
 public:
  explicit HostRecording(std::vector<std::function<void()>> works) : works(std::move(works)) {}
  std::vector<std::function<void()>> works;
};

class HostConvolution final : public Convolution {
 public:
  HostConvolution(Recorder& recorder, const ConvolutionShape& shape)
      : recorder_(recorder), shape_(shape) {}

  void forward(const std::byte* input, const std::byte* weights, std::byte* output) override {
    recorder_.queue([=, this] { do_forward(input, weights, output); });
  }
  void backward_weights(const std::byte* input, const std::byte* output_gradient,
                        std::byte* weight_gradient) override {
    recorder_.queue([=, this] { do_backward_weights(input, output_gradient, weight_gradient); });
  }
  void backward_input(const std::byte* weights, const std::byte* output_gradient,
                      std::byte* input_gradient, bool adds) override {
    recorder_.queue(
        [=, this] { do_backward_input(weights, output_gradient, input_gradient, adds); });
  }

 private:
  void do_forward(const std::byte* input, const std::byte* weights, std::byte* output) {
    std::vector<float> sums(shape_.output.elements());
    for_each_product(shape_, [&](int in, int weight, int out) {
      sums[out] += value(input, in) * value(weights, weight);
    });
    put(sums, output, false);
  }

  void do_backward_weights(const std::byte* input, const std::byte* output_gradient,
                           std::byte* weight_gradient) {
    std::vector<float> sums(shape_.weights().elements());
    for_each_product(shape_, [&](int in, int weight, int out) {
      sums[weight] += value(input, in) * value(output_gradient, out);
    });
    put(sums, weight_gradient, false);
  }

  void do_backward_input(const std::byte* weights, const std::byte* output_gradient,
                         std::byte* input_gradient, bool adds) {
    std::vector<float> sums(shape_.input.elements());
    for_each_product(shape_, [&](int in, int weight, int out) {
      sums[in] += value(weights, weight) * value(output_gradient, out);
    });
    put(sums, input_gradient, adds);
  }

  float value(const std::byte* data, int i) const { return read(data, shape_.dtype, i); }

  void put(const std::vector<float>& sums, std::byte* to, bool adds) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto at = static_cast<int>(i);
      write(to, shape_.dtype, at, adds ? value(to, at) + sums[i] : sums[i]);
    }
  }

  Recorder& recorder_;
  ConvolutionShape shape_;
};

class HostEngine final : public Engine {
 public:
  void bind_thread() override { is_bound = true; }
  Storage allocate(std::size_t bytes) override {
    Storage memory(static_cast<std::byte*>(std::aligned_alloc(256, (bytes / 256 + 1) * 256)),
                   [](std::byte* old) { std::free(old); });
    std::memset(memory.get(), 0xFF, bytes);
    return memory;
  }
  Storage allocate_block(std::size_t bytes) override {
    bytes = std::max<std::size_t>(bytes, 1);
    const int file = memfd_create("block", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
      throw CallFailed("memfd_create: refused");
    const Storage mapped = map_file(file, bytes);
    Storage block(mapped.get(), [mapped, file](std::byte*) { close(file); });
    std::memset(block.get(), 0xFF, bytes);
    const std::lock_guard lock(files_mutex);
    files[block.get()] = {file, bytes};
    return block;
  }
  BlockName name_block(const Storage& block) override {
    const std::lock_guard lock(files_mutex);
    const auto [file, bytes] = files.at(block.get());
    return {static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(file), bytes};
  }
  Storage reach_block(const BlockName& name) override {
    const std::string path = "/proc/" + std::to_string(name[0]) + "/fd/" + std::to_string(name[1]);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) throw CallFailed("open: refused");
    Storage block = map_file(file, name[2]);
    close(file);
    return block;
  }
  Storage allocate_host(std::size_t bytes) override { return allocate(bytes); }
  std::shared_ptr<void> pin(std::byte*, std::size_t) override { return nullptr; }
  std::unique_ptr<Event> make_event() override { return std::make_unique<HostEvent>(); }
  // Recordings keep theirs.
  std::byte* scratch(std::size_t bytes) override {
    return scratches_.emplace_back(allocate(bytes)).get();
  }
  void drain() noexcept override {}
  void zero(std::byte* data, std::size_t bytes) override {
    recorder_.queue([=] { std::memset(data, 0, bytes); });
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    recorder_.queue([=] { std::memcpy(to, from, bytes); });
  }
  void copy_in(Queue queue, std::byte* device, const void* host, std::size_t bytes) override {
    in(queue, [=] { std::memcpy(device, host, bytes); });
    copied_in += bytes;
  }
  void copy_out(Queue queue, void* host, const std::byte* device, std::size_t bytes) override {
    in(queue, [=] { std::memcpy(host, device, bytes); });
    copied_out += bytes;
  }

  void multiply(const Product& product) override {
    recorder_.queue([=] { do_multiply(product); });
  }

  bool records() const override { return true; }
  void begin_recording() override { recorder_.begin(); }
  std::unique_ptr<Recording> end_recording() override {
    return std::make_unique<HostRecording>(recorder_.end());
  }
  void drop_recording() noexcept override { recorder_.end(); }
  void launch(const Recording& recording) override {
    for (const auto& work : static_cast<const HostRecording&>(recording).works) work();
  }

  Recorder& recorder() { return recorder_; }

  static void do_multiply(const Product& product) {
    for (int index = 0; index < product.count; ++index) {
      for (int row = 0; row < product.to.rows; ++row) {
        for (int column = 0; column < product.to.columns; ++column) {
          multiply_one(product, index, row, column);
        }
      }
    }
  }

  std::shared_ptr<Convolution> convolution(const ConvolutionShape& shape) override {
    return std::make_shared<HostConvolution>(recorder_, shape);
  }
  void* stream() const override { return nullptr; }

 private:
  template <typename Work>
  void in(Queue queue, const Work& work) {
    queue == Queue::kCompute ? recorder_.queue(work) : work();
  }

  struct File {
    int file;
    std::size_t bytes;
  };

  Recorder recorder_;
  std::vector<Storage> scratches_;
  static inline std::mutex files_mutex;
  static inline std::map<const std::byte*, File> files;  ///< of blocks: other engines name them

  static void multiply_one(const Product& product, int index, int row, int column) {
    const auto& [a, b, to, factor, bias, adds, count] = product;
    float sum = 0;
    for (int k = 0; k < a.taken_columns(); ++k) {
      sum += read(a.data, a.dtype, place(a, index, row, k)) *
             read(b.data, b.dtype, place(b, index, k, column));
    }
    sum *= factor;
    if (bias != nullptr) sum += bias[column];
    const std::int64_t at = place(to, index, row, column);
    write(to.data, to.dtype, at, adds ? read(to.data, to.dtype, at) + sum : sum);
  }
};

/// One lane, which knows all sums.
struct OneLane {
  int index() const { return 0; }
  int count() const { return 1; }
  template <typename T>
  T sum(T value) const {
    return value;
  }
  template <typename T>
  T max(T value) const {
    return value;
  }
  template <int N>
  void sum_columns(float (&)[N], int) const {}
};

}  // namespace

CopiedBytes copied_bytes() {
  return {copied_in, copied_out};
}

std::unique_ptr<Engine> make_engine(int, Arithmetic) {
  return std::make_unique<HostEngine>();
}

int device_count(std::string*) {
  return 64;
}

std::string device_name(int) {
  return "a stand-in";
}

std::string device_place(int device) {
  return std::to_string(device);
}

std::string library_versions() {
  return "none";
}

template <typename Work>
void launch_items(Engine& engine, int items, const Work& work) {
  static_cast<HostEngine&>(engine).recorder().queue([=] {
    for (int i = 0; i < items; ++i) work(i);
  });
}

template <typename Work>
void launch_groups(Engine& engine, int groups, const Work& work) {
  static_cast<HostEngine&>(engine).recorder().queue([=] {
    OneLane lanes;
    for (int group = 0; group < groups; ++group) work(group, lanes);
  });
}

template <typename Work>
void launch_update(Engine& engine, int items, const Work& work) {
  launch_items(engine, items, work);
}

template <typename Work>
void launch_update_groups(Engine& engine, int groups, const Work& work) {
  launch_groups(engine, groups, work);
}

#define UPDATES(...) template void launch_update(Engine&, int, const __VA_ARGS__&);
#define UPDATE_GROUPS(...) template void launch_update_groups(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/updates.inc"
#define ITEMS(...) template void launch_items(Engine&, int, const __VA_ARGS__&);
#define GROUPS(...) template void launch_groups(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/works.inc"

}  // namespace tandem::cuda
