#include "real/cuda/collectives/nccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/comm/worker.h"
#include "real/cuda/mirror.h"
#include "real/mpi/check.h"
#include "real/mpi/machine.h"

namespace tandem::cuda {
namespace {

/// Whether it adds up what each of `ranks` ranks began with, once each.
bool is_of_all(const Sum& sum, int ranks) {
  std::vector<int> added;
  for (const SumStep& step : sum.steps) {
    if (step.kind != SumStep::Kind::kFold) added.push_back(step.rank);
  }
  std::ranges::sort(added);
  const auto repeated = std::ranges::adjacent_find(added);
  return static_cast<int>(added.size()) == ranks && repeated == added.end();
}

class NcclCollective final : public mpi::SteppedCollective {
 public:
  NcclCollective(Engine& engine, NcclRanks& ranks, int size, CudaMirror::Lent lent)
      : engine_(engine), ranks_(ranks), size_(size), lent_(std::move(lent)) {}

  void begin(std::vector<std::uint64_t>&) override {}

  // Begun once this rank's numbers are there: NCCL's kernel takes room on a GPU while it waits.
  bool step() override {
    engine_.bind_thread();
    if (!done_) {
      if (!lent_.is_ready()) return false;
      ranks_.all_reduce(lent_.view.data, lent_.view.elements, lent_.view.dtype);
      done_ = engine_.make_event();
      done_->record(engine_, Queue::kCompute);
    }
    ranks_.require_well();
    is_done_ = done_->has_passed();
    return is_done_;
  }
  bool is_done() const override { return is_done_; }
  int awaited() const override { return kAnyPeer; }

  // Who has left may have done its part, of which this rank hears a moment later.
  std::optional<int> missed(const std::function<bool(int)>& lost) const override {
    constexpr std::chrono::seconds kMoment(2);
    for (int rank = 0; rank < size_; ++rank) {
      if (!lost(rank)) continue;
      const auto now = std::chrono::steady_clock::now();
      if (!missed_since_) missed_since_ = now;
      if (now - *missed_since_ > kMoment) return rank;
    }
    return std::nullopt;
  }
  void give_up() noexcept override { ranks_.abort(); }

 private:
  Engine& engine_;
  NcclRanks& ranks_;
  int size_;
  CudaMirror::Lent lent_;
  std::unique_ptr<Event> done_;
  bool is_done_ = false;
  mutable std::optional<std::chrono::steady_clock::time_point> missed_since_;
};

/// Two ranks on one GPU would wait for each other without end.
void require_own_gpus(MPI_Comm comm, int ranks, int device) {
  std::array<char, 256> own = {};
  const std::string name = fmt::format("GPU {} of {}", device_place(device), mpi::host_name());
  std::copy_n(name.begin(), std::min(name.size(), own.size() - 1), own.begin());
  std::vector<std::array<char, 256>> all(ranks);
  mpi::check(
      MPI_Allgather(own.data(), own.size(), MPI_CHAR, all.data(), own.size(), MPI_CHAR, comm),
      "MPI_Allgather");
  for (int rank = 0; rank < ranks; ++rank) {
    const auto other = std::find(all.begin() + rank + 1, all.end(), all[rank]);
    if (other == all.end()) continue;
    throw InputError(fmt::format(
        "transport nccl: each rank needs a GPU of its own, but ranks {} and {} have {}; use "
        "transport ipc or host, or fewer ranks a host",
        rank, other - all.begin(), all[rank].data()));
  }
}

std::string told_by_first(MPI_Comm comm, int rank) {
  std::string id = rank == 0 ? make_nccl_id() : "";
  int bytes = static_cast<int>(id.size());
  mpi::check(MPI_Bcast(&bytes, 1, MPI_INT, 0, comm), "MPI_Bcast");
  id.resize(bytes);
  mpi::check(MPI_Bcast(id.data(), bytes, MPI_CHAR, 0, comm), "MPI_Bcast");
  return id;
}

}  // namespace

NcclCollectives::NcclCollectives(MPI_Comm comm, int device) : plans_([](int) { return true; }) {
  int rank = 0;
  mpi::check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  require_own_gpus(comm, size_, device);
  engine_ = make_engine(device, Arithmetic::kFloat32);
  ranks_ = join_nccl(*engine_, told_by_first(comm, rank), size_, rank);
}

NcclCollectives::~NcclCollectives() = default;

void NcclCollectives::give_up() noexcept {
  ranks_->abort();
}

void NcclCollectives::leave() {
  ranks_->leave();
}

bool NcclCollectives::takes(const Schedule& schedule, const View& view) {
  if (!CudaMirror::can_lend(view)) return false;
  const auto& plan = plans_.of(schedule).direct();
  return plan && static_cast<int>(plan->ranks.size()) == size_ &&
         std::ranges::all_of(plan->sums, [this](const Sum& sum) { return is_of_all(sum, size_); });
}

mpi::DeviceCollective NcclCollectives::make(const Schedule&, const View& view) {
  return {.stepped = std::make_unique<NcclCollective>(*engine_, *ranks_, size_,
                                                      CudaMirror::of(view)->lend(view))};
}

}  // namespace tandem::cuda
