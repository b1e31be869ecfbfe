#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/comm/buffer.h"
#include "real/mpi/shared/arena.h"

namespace tandem::mpi {

/// What a rank says to one other rank of its host about the collectives that both take part in.
/// The rank writes it, the other reads.
struct alignas(128) Notice {
  static constexpr std::size_t kNotShared = SIZE_MAX;

  /// Where a collective's buffer is.
  struct Place {
    std::atomic<std::size_t> offset = 0;  ///< in the arena, or kNotShared
    std::atomic<std::size_t> bytes = 0;
    /// Where not the host's, `offset` is in a block that `block` names.
    std::atomic<MemorySpace> space = MemorySpace::kHost;

    void put(MemorySpace where, std::size_t at);
    /// The offset, which `rank` has to have there. Throws RunError where it is elsewhere.
    std::size_t offset_in(MemorySpace expected, int rank) const;
  };
  /// As devices name memory to other processes.
  using Name = std::array<std::uint64_t, 8>;

  std::atomic<std::uint64_t> begun = 0;  ///< how many it has begun; set after their places
  std::atomic<std::uint64_t> done = 0;   ///< of how many its part of the work is done
  /// Of the last two: a rank may have begun the next when the other still reads of this.
  std::array<Place, 2> places;
  std::array<std::atomic<std::uint64_t>, 8> block = {};  ///< of one that all end at once

  Place& place(std::uint64_t number) { return places[number % places.size()]; }
  const Place& place(std::uint64_t number) const { return places[number % places.size()]; }
  void set_block(const Name& name);
  Name block_name() const;
};

/// How ranks that share a host do what they do together: in its memory, or by messages as if they
/// shared none.
enum class Way { kMemory, kMessages };

/// The ranks that share this one's host, each of whom can read and write the buffers that the
/// others allocated here.
class Node {
 public:
  /// Collective over `comm`, whose ranks are what all numbers here mean. Nothing is shared where
  /// the way is by messages.
  explicit Node(MPI_Comm comm, Way way = Way::kMemory);

  /// Whether there are others here, and all could map each other's memory.
  bool is_shared() const { return !peers_.empty(); }
  bool has(int rank) const;

  /// Memory that the others can reach; plain memory where that isn't to be had.
  Buffer allocate(std::size_t elements, DType dtype);
  /// Where a view lies in this rank's arena; kNotShared of memory that is elsewhere.
  std::size_t offset_of(const View& view) const;
  /// What lies there in another rank's.
  std::byte* data_of(int rank, std::size_t offset) const;

  /// What this rank has touched of the others' memory, and so is counted as held by its process.
  std::uint64_t bytes_of_others() const;

  Notice& notice_to(int rank) const { return notices_[rank]; }
  const Notice& notice_from(int rank) const;

 private:
  std::shared_ptr<Arena> arena_;  ///< its buffers may outlive this
  int rank_ = 0;
  Notice* notices_ = nullptr;                    ///< by rank: the first things in the arena
  std::vector<std::unique_ptr<Mapping>> peers_;  ///< by rank; null of other hosts' and its own
};

}  // namespace tandem::mpi
