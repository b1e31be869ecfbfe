#include "real/mpi/shared/node.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "core/base/error.h"
#include "real/mpi/agree.h"
#include "real/mpi/check.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {
namespace {

/// Of a rank, for the others of its host.
struct Card {
  int rank;
  int process;
  int descriptor;  ///< -1: it has no arena
};

/// A communicator of the ranks that share a host.
class Host {
 public:
  explicit Host(MPI_Comm comm) {
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_),
          "MPI_Comm_split_type");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~Host() { MPI_Comm_free(&comm_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  int size() const { return size_; }

  std::vector<Card> gather(const Card& own) const {
    std::vector<Card> cards(size_);
    check(MPI_Allgather(&own, sizeof own, MPI_BYTE, cards.data(), sizeof own, MPI_BYTE, comm_),
          "MPI_Allgather");
    return cards;
  }

  bool agree(bool holds) const { return mpi::agree(comm_, holds); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 0;
};

}  // namespace

void Notice::Place::put(MemorySpace where, std::size_t at) {
  space.store(where, std::memory_order_relaxed);
  offset.store(at, std::memory_order_relaxed);
}

std::size_t Notice::Place::offset_in(MemorySpace expected, int rank) const {
  if (space.load(std::memory_order_relaxed) == expected)
    return offset.load(std::memory_order_relaxed);
  throw RunError(fmt::format("a collective in the memory of {} met one of rank {} elsewhere",
                             expected == MemorySpace::kHost ? "the host" : "GPUs", rank));
}

void Notice::set_block(const Name& name) {
  for (std::size_t i = 0; i < name.size(); ++i) block[i].store(name[i], std::memory_order_relaxed);
}

Notice::Name Notice::block_name() const {
  Name name;
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = block[i].load(std::memory_order_relaxed);
  return name;
}

Node::Node(MPI_Comm comm, Way way) {
  if (way == Way::kMessages) return;
  const Host host(comm);
  if (host.size() == 1) return;
  int ranks = 0;
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  arena_ = std::make_shared<Arena>();
  const std::size_t bytes = ranks * sizeof(Notice);
  if (arena_->exists()) {
    notices_ = reinterpret_cast<Notice*>(arena_->allocate(bytes));
    std::uninitialized_default_construct_n(notices_, ranks);
  }
  const auto cards = host.gather({rank_, getpid(), arena_->exists() ? arena_->descriptor() : -1});
  bool all_mapped = true;
  peers_.resize(ranks);
  for (const Card& card : cards) {
    if (card.descriptor >= 0 && card.rank != rank_)
      peers_[card.rank] = std::make_unique<Mapping>(card.process, card.descriptor);
    const bool is_mapped = peers_[card.rank] != nullptr && peers_[card.rank]->data() != nullptr;
    all_mapped = all_mapped && (card.rank == rank_ ? arena_->exists() : is_mapped);
  }
  if (host.agree(all_mapped)) return;
  peers_.clear();
  arena_.reset();
}

bool Node::has(int rank) const {
  return is_shared() && (rank == rank_ || peers_[rank] != nullptr);
}

Buffer Node::allocate(std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  std::byte* data = arena_ ? arena_->allocate(bytes) : nullptr;
  if (data == nullptr) return make_host_buffer(elements, dtype);
  const auto free = [arena = arena_](std::byte* memory, std::size_t size) {
    arena->free(memory, size);
  };
  return {std::make_shared<Memory>(data, bytes, free), elements, dtype};
}

std::size_t Node::offset_of(const View& view) const {
  if (!arena_ || !arena_->holds(view.data)) return Notice::kNotShared;
  return static_cast<std::size_t>(view.data - arena_->data());
}

std::byte* Node::data_of(int rank, std::size_t offset) const {
  return (rank == rank_ ? arena_->data() : peers_[rank]->data()) + offset;
}

std::uint64_t Node::bytes_of_others() const {
  std::uint64_t bytes = 0;
  for (const auto& peer : peers_) {
    if (peer) bytes += mapped_bytes(peer->data(), peer->bytes());
  }
  return bytes;
}

const Notice& Node::notice_from(int rank) const {
  return reinterpret_cast<const Notice*>(peers_[rank]->data())[rank_];
}

}  // namespace tandem::mpi
