#include "real/cuda/collectives/cuda_aware.h"

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <algorithm>

#include "core/collectives/taking_part.h"
#include "real/cuda/collectives/ranks_with_gpu.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/mirror.h"
#include "real/cuda/with_type.h"

namespace tandem::cuda {
namespace {

/// Arithmetic on views whose data is the GPU's own, in an engine's compute queue.
class GpuArithmetic final : public Mirror {
 public:
  explicit GpuArithmetic(Engine& engine) : engine_(engine) {}

  void settle(std::byte*, std::size_t, Access) override {}
  bool convert(const View&, const View&, float) override { return false; }
  bool clear(const View&) override { return false; }
  bool add_squares(const View&, const View&) override { return false; }
  bool measure(const ArenaUpdate&) override { return false; }
  bool update(const ArenaUpdate&) override { return false; }
  bool accumulate(const View& destination, const View& source, float scale) override {
    with_type(destination.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      in_parts(destination.elements, [&](std::size_t first, int count) {
        launch_update(engine_, count,
                      Combine<T, T>{reinterpret_cast<T*>(destination.data) + first,
                                    reinterpret_cast<const T*>(source.data) + first, scale, true});
      });
    });
    return true;
  }

 private:
  Engine& engine_;
};

class CudaAwareMessages final : public mpi::DeviceMessages {
 public:
  CudaAwareMessages(CudaAwareCollectives& all, CudaMirror::Lent lent)
      : all_(all), lent_(std::move(lent)) {
    const auto keep = [block = lent_.block](std::byte*, std::size_t) {};
    lent_.view.owner = std::make_shared<Memory>(lent_.view.data, lent_.view.bytes(), keep);
    lent_.view.mirror = &all_.arithmetic();
  }

  void enter() override { all_.engine().bind_thread(); }
  View view() const override { return lent_.view; }
  Buffer scratch(std::size_t elements, DType dtype) override {
    return all_.scratch(elements, dtype);
  }
  void asked() override {
    all_.added().record(all_.engine(), Queue::kCompute);
    adds_ = true;
  }
  bool is_done() override { return adds_ ? all_.added().has_passed() : lent_.is_ready(); }

 private:
  CudaAwareCollectives& all_;
  CudaMirror::Lent lent_;
  bool adds_ = false;
};

}  // namespace

bool is_mpi_cuda_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

CudaAwareCollectives::CudaAwareCollectives(MPI_Comm comm, int device)
    : has_gpu_(ranks_with_gpu(comm, device >= 0)) {
  if (device < 0) return;
  engine_ = make_engine(device, Arithmetic::kFloat32);
  arithmetic_ = std::make_unique<GpuArithmetic>(*engine_);
  added_ = engine_->make_event();
}

CudaAwareCollectives::~CudaAwareCollectives() {
  if (engine_) engine_->drain();
}

bool CudaAwareCollectives::takes(const Schedule& schedule, const View& view) {
  return CudaMirror::can_lend(view) &&
         std::ranges::all_of(group_ranks(schedule), [this](int rank) { return has_gpu_[rank]; });
}

mpi::DeviceCollective CudaAwareCollectives::make(const Schedule& /*schedule*/, const View& view) {
  return {.messages = std::make_unique<CudaAwareMessages>(*this, CudaMirror::of(view)->lend(view))};
}

Buffer CudaAwareCollectives::scratch(std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  if (!scratch_ || scratch_bytes_ < bytes) {
    const Storage memory = engine_->allocate(bytes);
    scratch_bytes_ = bytes;
    scratch_ = std::make_shared<Memory>(memory.get(), bytes, [memory](std::byte*, std::size_t) {});
  }
  return {scratch_, elements, dtype, MemorySpace::kCuda};
}

}  // namespace tandem::cuda
