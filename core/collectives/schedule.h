#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace tandem {

/// What a received piece does to the elements it lands on.
enum class Action { kCopy, kAdd };

/// `elements` elements from `offset` on, sent to `peer`.
struct SendPiece {
  int peer;
  std::size_t offset;
  std::size_t elements;
  bool operator==(const SendPiece&) const = default;
};

/// `elements` elements from `offset` on, received from `peer` and copied onto, or added to, what is
/// there.
struct ReceivePiece {
  int peer;
  std::size_t offset;
  std::size_t elements;
  Action action;
  bool operator==(const ReceivePiece&) const = default;
};

/// What one rank does in one round. All sends read the buffer as it was when the round began. What
/// is received to be added is added when all messages of the round are through, sends included;
/// what is copied may land at any time, so no such piece may touch elements that a send of the
/// round reads. No two receives of a round touch the same elements. Pieces without elements are
/// left out.
struct Round {
  boost::container::small_vector<SendPiece, 2> sends;
  boost::container::small_vector<ReceivePiece, 2> receives;
  bool operator==(const Round& other) const {
    return sends == other.sends && receives == other.receives;
  }
};

/// Rounds of one rank, one after the other, that are alike: in each it has the same peers and does
/// the same to what it receives, and each piece is, to within an element, an equal part of what it
/// adds up to over these rounds.
struct Stretch {
  int rounds = 1;
  Round sum = {};  ///< the pieces of one of its rounds, with their elements of all of them
  /// Of rounds in which all ranks do alike, each sending one piece and receiving one, all of equal
  /// size to within an element: the elements that all ranks send in them. Nothing of others.
  std::optional<std::size_t> sent_by_all = {};
};

/// What tells the rounds of a schedule, but for what the group calls its ranks.
struct ScheduleKey {
  std::size_t elements;
  std::size_t option;  ///< what else its algorithm was told; 0 where that is nothing
  int ranks;
  int rank;
  std::string_view name;
  bool operator==(const ScheduleKey&) const = default;
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
  /// What the group calls rank `k` of this collective: the same, but of a subgroup.
  virtual int group_rank(int k) const { return k; }
  /// Elements of the buffer it works on.
  virtual std::size_t elements() const = 0;
  virtual int rounds() const = 0;
  /// Requires 0 <= k < rounds().
  virtual Round round(int k) const = 0;
  /// Rounds from k on that are known for alike, `most` or fewer, so that who only wants their cost
  /// need not ask for each. Requires 0 <= k < rounds() and most > 0.
  virtual Stretch stretch(int k, int most) const;
  /// What another rank of this collective does in it; nothing where that isn't known.
  virtual std::unique_ptr<const Schedule> part_of(int /*rank*/) const { return nullptr; }
  /// Those that have one key do alike, so that what was derived from one holds for all; nothing of
  /// one whose rounds alone tell what it does. Its name is a literal.
  virtual std::optional<ScheduleKey> key() const { return std::nullopt; }
};

/// What all schedules of this folder know of themselves; an algorithm is its rounds.
class RankSchedule : public Schedule {
 public:
  std::string_view name() const final { return name_; }
  int ranks() const final { return ranks_; }
  int rank() const final { return rank_; }
  std::size_t elements() const final { return elements_; }
  std::optional<ScheduleKey> key() const final {
    return ScheduleKey{elements_, option_, ranks_, rank_, name_};
  }

 protected:
  /// `name` has to outlive it: a literal. `option` tells apart what the name, the ranks and the
  /// elements don't, such as a segment's size.
  RankSchedule(std::string_view name, int ranks, int rank, std::size_t elements,
               std::size_t option = 0)
      : name_(name), ranks_(ranks), rank_(rank), elements_(elements), option_(option) {}

 private:
  std::string_view name_;
  int ranks_;
  int rank_;
  std::size_t elements_;
  std::size_t option_;
};

/// The k-th of `parts` near-equal consecutive pieces of `elements`: the first (elements % parts)
/// have one element more.
struct Chunk {
  std::size_t offset;
  std::size_t elements;
};
Chunk chunk(std::size_t elements, int parts, int k);
/// The same of a chunk: consecutive pieces of it.
Chunk chunk(const Chunk& whole, int parts, int k);

/// How many of `count` such pieces, from the `first` on and counted round, have one element more.
/// Requires 0 <= first < parts and count <= parts.
int larger_chunks(std::size_t elements, int parts, int first, int count);
/// What they add up to.
std::size_t chunk_sum(std::size_t elements, int parts, int first, int count);

/// Add a piece to a round, unless it has no elements.
void add_send(Round& round, int peer, const Chunk& piece);
void add_receive(Round& round, int peer, const Chunk& piece, Action action);

}  // namespace tandem
