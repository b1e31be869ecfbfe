#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string_view>

namespace tandem {

/// What a received piece does to the elements it lands on.
enum class Action { kCopy, kAdd };

/// `elements` elements from `offset` on, sent to `peer`.
struct SendPiece {
  int peer;
  std::size_t offset;
  std::size_t elements;
};

/// `elements` elements from `offset` on, received from `peer` and copied onto, or added to, what is
/// there.
struct ReceivePiece {
  int peer;
  std::size_t offset;
  std::size_t elements;
  Action action;
};

/// What one rank does in one round. All sends read the buffer as it was when the round began; no
/// receive may touch elements that a send or another receive of the same round touches. Pieces
/// without elements are left out.
struct Round {
  boost::container::small_vector<SendPiece, 2> sends;
  boost::container::small_vector<ReceivePiece, 2> receives;
};

/// A collective, as a pure and lazy value: for one rank, what it sends and receives in each round.
/// It holds no buffer, no clock and does no I/O, so one checker proves it (checker.h), one executor
/// a backend runs it, and the simulator may reason about it. A round is no barrier: a rank enters
/// round k+1 as soon as its own round k is done.
class Schedule {
 public:
  virtual ~Schedule() = default;

  /// The algorithm's name in scenarios and traces, such as "ring".
  virtual std::string_view name() const = 0;
  virtual int ranks() const = 0;
  /// The rank whose part this is.
  virtual int rank() const = 0;
  /// Elements of the buffer it works on.
  virtual std::size_t elements() const = 0;
  virtual int rounds() const = 0;
  /// Requires 0 <= k < rounds().
  virtual Round round(int k) const = 0;
};

/// The k-th of `parts` near-equal consecutive pieces of `elements`: the first (elements % parts)
/// have one element more.
struct Chunk {
  std::size_t offset;
  std::size_t elements;
};
Chunk chunk(std::size_t elements, int parts, int k);

}  // namespace tandem
