#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tandem::mpi {

/// A collective that a rank does step by step and without MPI's messages, once all that it started
/// before are done.
class SteppedCollective {
 public:
  virtual ~SteppedCollective() = default;

  /// Comes before step(). `begun` counts by rank what this one has begun with each other rank of
  /// its host, and outlives this.
  virtual void begin(std::vector<std::uint64_t>& begun) = 0;
  /// Goes on as far as it can without waiting, for some tenths of a millisecond at most; false
  /// where it waits. Throws RunError.
  virtual bool step() = 0;
  virtual bool is_done() const = 0;
  /// Once done: whether nothing was done, since it takes messages after all. All ranks that take
  /// part come to the same.
  virtual bool is_refused() const { return false; }

  /// Whom of the group it waits for; kAnyPeer while it works, is done, or waits for all.
  virtual int awaited() const = 0;
  /// A rank that is lost and without which it does not end; none where it may yet.
  virtual std::optional<int> missed(const std::function<bool(int peer)>& lost) const = 0;
  /// Ends what it has in flight: it will not be done.
  virtual void give_up() noexcept {}
};

}  // namespace tandem::mpi
