#include "real/cuda/collectives/ipc.h"

#include <fmt/format.h>

#include <algorithm>

#include "real/cuda/collectives/ranks_with_gpu.h"
#include "real/cuda/kernels/form_sum.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/mirror.h"
#include "real/cuda/with_type.h"
#include "real/mpi/agree.h"
#include "real/mpi/check.h"
#include "real/mpi/shared/shared_collective.h"

namespace tandem::cuda {
namespace {

bool can_be_formed(const Sum& sum) {
  return sum.depth <= kMostDepth + 1 && sum.steps.size() <= kMostSteps;
}

/// Elements before all of `buffers` begin a stretch of 16 bytes at once; nothing where they never
/// do.
template <typename T>
std::optional<std::size_t> to_stretch(std::span<T* const> buffers) {
  const auto past = [](const T* data) { return reinterpret_cast<std::uintptr_t>(data) % 16; };
  const std::size_t first = past(buffers.front());
  if (!std::ranges::all_of(buffers, [&](const T* data) { return past(data) == first; }))
    return std::nullopt;
  return (16 - first) % 16 / sizeof(T);
}

class IpcCollective final : public mpi::SharedCollective {
 public:
  IpcCollective(IpcCollectives& all, const mpi::Node& node,
                std::shared_ptr<const mpi::DirectPlan> plan, CudaMirror::Lent lent)
      : SharedCollective(node, std::move(plan), lent.view), all_(all), lent_(std::move(lent)) {}

 private:
  bool is_ready() override {
    all_.engine().bind_thread();
    return lent_.is_ready();
  }

  void publish(int peer, std::uint64_t number) override {
    mpi::Notice& notice = node().notice_to(peer);
    const auto offset = static_cast<std::size_t>(view().data - lent_.block.get());
    notice.place(number).put(MemorySpace::kCuda, offset);
    notice.set_block(all_.name_of(lent_.block));
  }

  void reach_own() override { places_.push_back(view().data); }

  void reach(int at, std::uint64_t number) override {
    const int peer = plan().ranks[at];
    const mpi::Notice& notice = node().notice_from(peer);
    const std::size_t offset = notice.place(number).offset_in(MemorySpace::kCuda, peer);
    places_.push_back(all_.reach(notice.block_name()) + offset);
  }

  Progress work() override {
    all_.engine().bind_thread();
    if (!formed_) {
      launch();
      formed_ = all_.engine().make_event();
      formed_->record(all_.engine(), Queue::kCompute);
    }
    return formed_->has_passed() ? Progress::kDone : Progress::kWaits;
  }

  void launch() {
    const Chunk mine = share();
    for (const Sum& sum : plan().sums) {
      const std::size_t begin = std::max(sum.piece.offset, mine.offset);
      const std::size_t end =
          std::min(sum.piece.offset + sum.piece.elements, mine.offset + mine.elements);
      if (begin >= end) continue;
      with_type(view().dtype,
                [&](auto* type) { launch_sum<Pointee<decltype(type)>>(sum, begin, end - begin); });
    }
  }

  template <typename T>
  void launch_sum(const Sum& sum, std::size_t begin, std::size_t elements) {
    constexpr int kWidth = kPackWidth<T>;
    std::array<T*, kMostRanks> buffers = {};
    for (int rank = 0; rank < ranks(); ++rank)
      buffers[rank] = reinterpret_cast<T*>(places_[rank]) + begin;
    std::array<SumStep, kMostSteps> steps = {};
    std::ranges::copy(sum.steps, steps.begin());
    const auto launch_part = [&]<int kWide>(std::size_t first, std::size_t count) {
      in_parts(count, [&](std::size_t part, int items) {
        FormSum<T, kWide> work{buffers, ranks(), steps, static_cast<int>(sum.steps.size())};
        for (int rank = 0; rank < ranks(); ++rank) work.buffers[rank] += first + part * kWide;
        launch_update(all_.engine(), items, work);
      });
    };
    const auto head =
        to_stretch(std::span<T* const>(buffers.data(), static_cast<std::size_t>(ranks())));
    if (!head || *head >= elements) return launch_part.template operator()<1>(0, elements);
    const std::size_t stretches = (elements - *head) / kWidth;
    const std::size_t tail = *head + stretches * kWidth;
    launch_part.template operator()<1>(0, *head);
    launch_part.template operator()<kWidth>(*head, stretches);
    launch_part.template operator()<1>(tail, elements - tail);
  }

  IpcCollectives& all_;
  CudaMirror::Lent lent_;
  std::vector<std::byte*> places_;  ///< of the plan's ranks: where their buffers are
  std::unique_ptr<Event> formed_;
};

}  // namespace

IpcCollectives::IpcCollectives(MPI_Comm comm, const mpi::Node& node, int device)
    : node_(node),
      has_gpu_(ranks_with_gpu(comm, device >= 0)),
      plans_([this](int rank) { return node_.has(rank) && has_gpu_[rank]; }) {
  if (device >= 0) engine_ = make_engine(device, Arithmetic::kFloat32);
  require_reach(comm);
}

IpcCollectives::~IpcCollectives() {
  if (engine_) engine_->drain();
}

void IpcCollectives::leave() {
  reached_.clear();
}

// Each reaches a block of each other before anything leans on it.
void IpcCollectives::require_reach(MPI_Comm comm) {
  BlockName own = {};
  Storage probe;
  if (engine_) {
    probe = engine_->allocate_block(1);
    own = engine_->name_block(probe);
  }
  std::vector<BlockName> names(has_gpu_.size());
  mpi::check(MPI_Allgather(&own, sizeof own, MPI_BYTE, names.data(), sizeof own, MPI_BYTE, comm),
             "MPI_Allgather");
  std::string reason;
  for (std::size_t rank = 0; engine_ && rank < names.size() && reason.empty(); ++rank) {
    if (names[rank] == own || !plans_.reaches(static_cast<int>(rank))) continue;
    try {
      engine_->reach_block(names[rank]);
    } catch (const CallFailed& error) {
      reason =
          fmt::format("this rank's GPU does not reach that of rank {}: {}", rank, error.what());
    }
  }
  const bool all_reach = mpi::agree(comm, reason.empty());  // and nobody frees a block before
  if (all_reach) return;
  throw InputError(
      fmt::format("transport ipc: {}; use transport host or nccl",
                  reason.empty() ? "another rank's GPU does not reach all of its host" : reason));
}

bool IpcCollectives::takes(const Schedule& schedule, const View& view) {
  if (!CudaMirror::can_lend(view)) return false;
  const auto& plan = plans_.of(schedule).direct();
  return plan && plan->ranks.size() <= kMostRanks && std::ranges::all_of(plan->sums, can_be_formed);
}

mpi::DeviceCollective IpcCollectives::make(const Schedule& schedule, const View& view) {
  return {.stepped = std::make_unique<IpcCollective>(*this, node_, plans_.of(schedule).direct(),
                                                     CudaMirror::of(view)->lend(view))};
}

const BlockName& IpcCollectives::name_of(const Storage& block) {
  const auto known = given_.find(block);
  if (known != given_.end()) return known->second;
  return given_.emplace(block, engine_->name_block(block)).first->second;
}

std::byte* IpcCollectives::reach(const BlockName& name) {
  Storage& block = reached_[name];
  if (!block) block = engine_->reach_block(name);
  return block.get();
}

}  // namespace tandem::cuda
