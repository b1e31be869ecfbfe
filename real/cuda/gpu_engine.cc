#include "real/cuda/gpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tandem::cuda {
namespace {

using CudaEvent = Owned<cudaEvent_t, cudaEventDestroy>;

class GpuEvent final : public Event {
 public:
  GpuEvent() {
    cudaEvent_t event = nullptr;
    // Waits spin: some are of microseconds, and there are two a layer.
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    event_.reset(event);
  }

  // What is recorded is done by one engine's compute queue, and by it alone, so that its order says
  // as much as events in it.
  void record(Engine& engine, Queue queue) override {
    if (is_recording(engine, queue)) return;
    check(cudaEventRecord(event_.get(), stream(engine, queue)), "cudaEventRecord");
  }
  void hold(Engine& engine, Queue queue) const override {
    if (is_recording(engine, queue)) return;
    check(cudaStreamWaitEvent(stream(engine, queue), event_.get(), 0), "cudaStreamWaitEvent");
  }
  void wait() const override { check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize"); }
  bool has_passed() const override {
    const cudaError_t result = cudaEventQuery(event_.get());
    if (result != cudaErrorNotReady) check(result, "cudaEventQuery");
    if (result == cudaErrorNotReady) cudaGetLastError();  // else the next launch would find it
    return result == cudaSuccess;
  }

 private:
  static bool is_recording(const Engine& engine, Queue queue) {
    return queue == Queue::kCompute && static_cast<const GpuEngine&>(engine).is_recording();
  }
  static cudaStream_t stream(const Engine& engine, Queue queue) {
    return static_cast<const GpuEngine&>(engine).stream_of(queue);
  }

  CudaEvent event_;
};

class GpuRecording final : public Recording {
 public:
  explicit GpuRecording(cudaGraphExec_t graph) : graph_(graph) {}
  cudaGraphExec_t get() const { return graph_.get(); }

 private:
  Owned<cudaGraphExec_t, cudaGraphExecDestroy> graph_;
};

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

std::string version_text(int version) {  // CUDA counts 13.0 as 13000
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

GpuEngine::GpuEngine(int device, Arithmetic arithmetic) : device_(device), arithmetic_(arithmetic) {
  bind_thread();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  constexpr std::size_t kShareOfMemory = 16;
  most_workspace_ = total / kShareOfMemory;
  for (Stream& stream : streams_) stream = make_stream();
}

// Made when they are first asked for: engines of collectives need none. Nothing is recorded by
// then, as layers are made before.
cudnnHandle_t GpuEngine::cudnn() {
  if (!cudnn_) {
    cudnnHandle_t cudnn = nullptr;
    check(cudnnCreate(&cudnn), "cudnnCreate");
    cudnn_.reset(cudnn);
    check(cudnnSetStream(cudnn, stream_of(Queue::kCompute)), "cudnnSetStream");
  }
  return cudnn_.get();
}

cublasLtHandle_t GpuEngine::cublas() {
  if (!cublas_) {
    cublasLtHandle_t cublas = nullptr;
    check(cublasLtCreate(&cublas), "cublasLtCreate");
    cublas_.reset(cublas);
  }
  return cublas_.get();
}

// What is freed may still be used by work in flight.
GpuEngine::~GpuEngine() {
  drain();
}

void GpuEngine::drain() noexcept {
  cudaSetDevice(device_);
  for (const Stream& stream : streams_) cudaStreamSynchronize(stream.get());
  cudaGetLastError();
}

Storage GpuEngine::allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
  return {static_cast<std::byte*>(data), [](std::byte* old) { cudaFree(old); }};
}

Storage GpuEngine::allocate_block(std::size_t bytes) {
  constexpr std::size_t kPage = 2 << 20;
  return allocate((std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage);
}

BlockName GpuEngine::name_block(const Storage& block) {
  bind_thread();
  cudaIpcMemHandle_t handle;
  check(cudaIpcGetMemHandle(&handle, block.get()), "cudaIpcGetMemHandle");
  static_assert(sizeof handle == sizeof(BlockName));
  return std::bit_cast<BlockName>(handle);
}

Storage GpuEngine::reach_block(const BlockName& name) {
  bind_thread();
  void* data = nullptr;
  check(cudaIpcOpenMemHandle(&data, std::bit_cast<cudaIpcMemHandle_t>(name),
                             cudaIpcMemLazyEnablePeerAccess),
        "cudaIpcOpenMemHandle");
  return {static_cast<std::byte*>(data),
          [](std::byte* reached) { cudaIpcCloseMemHandle(reached); }};
}

Storage GpuEngine::allocate_host(std::size_t bytes) {
  void* data = nullptr;
  check(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocDefault),
        "cudaHostAlloc");
  return {static_cast<std::byte*>(data), [](std::byte* old) { cudaFreeHost(old); }};
}

std::shared_ptr<void> GpuEngine::pin(std::byte* data, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  // Refused where part of its pages is pinned already, and where the system has no more to pin.
  if (cudaHostRegister(data, bytes, cudaHostRegisterDefault) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return {data, [](void* pinned) { cudaHostUnregister(pinned); }};
}

std::unique_ptr<Event> GpuEngine::make_event() {
  return std::make_unique<GpuEvent>();
}

void GpuEngine::zero(std::byte* data, std::size_t bytes) {
  check(cudaMemsetAsync(data, 0, bytes, stream_of(Queue::kCompute)), "cudaMemsetAsync");
}

void GpuEngine::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(Queue::kCompute)),
        "cudaMemcpyAsync on the GPU");
}

void GpuEngine::copy_in(Queue queue, std::byte* device, const void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_of(queue)),
        "cudaMemcpyAsync to the GPU");
}

void GpuEngine::copy_out(Queue queue, void* host, const std::byte* device, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_of(queue)),
        "cudaMemcpyAsync from the GPU");
}

// Other threads of the process, such as another rank's in a test, may call CUDA meanwhile.
void GpuEngine::begin_recording() {
  check(cudaStreamBeginCapture(stream_of(Queue::kCompute), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  is_recording_ = true;
}

std::unique_ptr<Recording> GpuEngine::end_recording() {
  is_recording_ = false;
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(stream_of(Queue::kCompute), &captured), "cudaStreamEndCapture");
  const Owned<cudaGraph_t, cudaGraphDestroy> graph(captured);
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph.get(), 0), "cudaGraphInstantiate");
  has_recorded_ = true;
  return std::make_unique<GpuRecording>(ready);
}

void GpuEngine::drop_recording() noexcept {
  is_recording_ = false;
  cudaGraph_t captured = nullptr;
  cudaStreamEndCapture(stream_of(Queue::kCompute), &captured);
  if (captured != nullptr) cudaGraphDestroy(captured);
  cudaGetLastError();
}

void GpuEngine::launch(const Recording& recording) {
  check(cudaGraphLaunch(static_cast<const GpuRecording&>(recording).get(),
                        stream_of(Queue::kCompute)),
        "cudaGraphLaunch");
}

std::byte* GpuEngine::grown(Growing& growing, std::size_t bytes) {
  if (bytes > growing.bytes) {
    if (is_recording_) throw CallFailed("more memory is needed than the pass before took");
    if (has_recorded_) retired_.push_back(std::move(growing.memory));
    growing = {};  // cudaFree waits until nobody uses it
    growing = {allocate(bytes), bytes};
  }
  return growing.memory.get();
}

cudaDataType_t cuda_type(DType dtype) {
  if (dtype == DType::kFloat16) return CUDA_R_16F;
  return dtype == DType::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

std::unique_ptr<Engine> make_engine(int device, Arithmetic arithmetic) {
  return std::make_unique<GpuEngine>(device, arithmetic);
}

int device_count(std::string* reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return count;
  cudaGetLastError();
  if (reason != nullptr) *reason = cudaGetErrorString(status);
  return 0;
}

std::string device_name(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

std::string device_place(int device) {
  std::array<char, 32> place = {};
  check(cudaDeviceGetPCIBusId(place.data(), place.size(), device), "cudaDeviceGetPCIBusId");
  return place.data();
}

std::string library_versions() {
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const auto cudnn = static_cast<int>(cudnnGetVersion());  // 9.19.0 is 91900
  return fmt::format("CUDA {} (driver {}), cuDNN {}.{}.{}, cuBLASLt {}", version_text(runtime),
                     version_text(driver), cudnn / 10000, cudnn / 100 % 100, cudnn % 100,
                     cublasLtGetVersion());
}

}  // namespace tandem::cuda
