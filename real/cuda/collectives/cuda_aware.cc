#include "real/cuda/collectives/cuda_aware.h"

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <algorithm>

#include "core/collectives/execution.h"
#include "core/collectives/taking_part.h"
#include "core/comm/worker.h"
#include "real/cuda/collectives/least_bytes.h"
#include "real/cuda/collectives/ranks_with_gpu.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/mirror.h"
#include "real/cuda/with_type.h"
#include "real/mpi/check.h"
#include "real/mpi/request_set.h"

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

class CudaAwareCollective final : public mpi::SteppedCollective {
 public:
  CudaAwareCollective(CudaAwareCollectives& all, std::shared_ptr<const Schedule> schedule,
                      DType dtype, CudaMirror::Lent lent)
      : all_(all), schedule_(std::move(schedule)), dtype_(dtype), lent_(std::move(lent)) {}

  // Where a peer was lost, others may still read and write there.
  ~CudaAwareCollective() override {
    if (!is_done_) all_.keep(lent_.block);
  }

  void begin(std::vector<std::uint64_t>&) override {}

  bool step() override {
    if (!run_ && !is_ready()) return false;
    if (!run_) {
      begin_run();
      return true;
    }
    if (outstanding_ > 0) return requests_.test() > 0 && next_round();
    return added_ != nullptr && added_->has_passed() && post_round();
  }
  bool is_done() const override { return is_done_; }
  int awaited() const override { return outstanding_ > 0 ? sender_ : kAnyPeer; }

  std::optional<int> missed(const std::function<bool(int)>& lost) const override {
    for (const int rank : group_ranks(*schedule_))
      if (lost(rank)) return rank;
    return std::nullopt;
  }

 private:
  bool is_ready() {
    std::erase_if(lent_.written, [](const auto& event) { return event->has_passed(); });
    return lent_.written.empty();
  }

  void begin_run() {
    View view{lent_.block.get() + lent_.offset, schedule_->elements(), dtype_, MemorySpace::kCuda};
    view.mirror = &all_.arithmetic();
    const auto scratch = [this](std::size_t elements, DType dtype) {
      return all_.scratch(elements, dtype);
    };
    run_.emplace(schedule_, view, scratch);
    post_round();
  }

  // Sends first: Worker::send() says why. Of two members the messages match in order.
  bool post_round() {
    added_.reset();
    while (!run_->done()) {
      const auto on_done = [this](const mpi::Outcome& outcome) {
        if (!error_) error_ = outcome.error;
        --outstanding_;
      };
      outstanding_ = run_->sends().size() + run_->receives().size();
      for (const RoundMessage& message : run_->sends())
        requests_.send(all_.comm(), message.peer, 0, message.view, on_done);
      for (const RoundMessage& message : run_->receives()) {
        sender_ = message.peer;
        requests_.receive(all_.comm(), message.peer, 0, message.view, on_done);
      }
      if (outstanding_ > 0) return true;
      run_->finish_round();
    }
    is_done_ = true;
    return true;
  }

  // What is added has to be there before it is sent on.
  bool next_round() {
    if (outstanding_ > 0) return true;
    if (error_) std::rethrow_exception(error_);
    const bool adds = run_->bytes_to_add() > 0;
    all_.engine().bind_thread();
    run_->finish_round();
    if (!adds) return post_round();
    added_ = all_.engine().make_event();
    added_->record(all_.engine(), Queue::kCompute);
    return true;
  }

  CudaAwareCollectives& all_;
  std::shared_ptr<const Schedule> schedule_;
  DType dtype_;
  CudaMirror::Lent lent_;
  std::optional<ScheduleExecution> run_;
  mpi::RequestSet requests_;
  std::size_t outstanding_ = 0;  ///< messages of this round
  int sender_ = kAnyPeer;
  std::exception_ptr error_;  ///< the first; the round's other messages end first
  std::unique_ptr<Event> added_;
  bool is_done_ = false;
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
  mpi::check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  if (device < 0) return;
  engine_ = make_engine(device, Arithmetic::kFloat32);
  arithmetic_ = std::make_unique<GpuArithmetic>(*engine_);
}

CudaAwareCollectives::~CudaAwareCollectives() {
  if (engine_) engine_->drain();
}

void CudaAwareCollectives::leave() {
  mpi::check(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

bool CudaAwareCollectives::takes(const Schedule& schedule, const View& view) {
  return CudaMirror::of(view) != nullptr && is_floating(view.dtype) &&
         view.bytes() >= kLeastBytes &&
         std::ranges::all_of(group_ranks(schedule), [this](int rank) { return has_gpu_[rank]; });
}

std::unique_ptr<mpi::SteppedCollective> CudaAwareCollectives::make(const Schedule& schedule,
                                                                   const View& view) {
  return std::make_unique<CudaAwareCollective>(*this, schedule.part_of(schedule.rank()), view.dtype,
                                               CudaMirror::of(view)->lend(view));
}

Buffer CudaAwareCollectives::scratch(std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  if (!scratch_ || scratch_bytes_ < bytes) {
    const Storage block = engine_->allocate_block(bytes);
    scratch_bytes_ = bytes;
    scratch_ = std::make_shared<Memory>(block.get(), bytes, [block](std::byte*, std::size_t) {});
  }
  return {scratch_, elements, dtype, MemorySpace::kCuda};
}

}  // namespace tandem::cuda
