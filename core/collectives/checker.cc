#include "core/collectives/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace tandem {
namespace {

/// Sums as interned values: two elements hold the same id exactly when they were formed by the same
/// additions. The order of the two operands doesn't count, since a + b and b + a have the same
/// bits.
class Sums {
 public:
  explicit Sums(int ranks) : ranks_(ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      contributions_.emplace_back(ranks, 0)[rank] = 1;
    }
  }

  /// The value that rank `rank` begins with.
  int leaf(int rank) const { return rank; }

  int add(int a, int b) {
    const auto [entry, is_new] =
        ids_.try_emplace(std::minmax(a, b), static_cast<int>(contributions_.size()));
    if (is_new) {
      std::vector<int> sum = contributions_[a];
      for (int rank = 0; rank < ranks_; ++rank) sum[rank] += contributions_[b][rank];
      contributions_.push_back(std::move(sum));
    }
    return entry->second;
  }

  bool is_complete(int id) const {
    return std::ranges::all_of(contributions_[id], [](int count) { return count == 1; });
  }

 private:
  int ranks_;
  std::map<std::pair<int, int>, int> ids_;
  std::vector<std::vector<int>> contributions_;  ///< by id, by rank: how often it was added
};

/// One rank on its way through its schedule.
struct Member {
  std::unique_ptr<const Schedule> schedule;
  std::vector<int> values;  ///< by element
  int round_index = 0;
  Round round;
  std::size_t in_flight = 0;               ///< messages of this round not yet matched
  std::vector<std::vector<int>> received;  ///< by receive piece
};

/// Runs all ranks symbolically. A message passes when both sides have entered their rounds (a
/// rendezvous), the strictest rule that any backend has.
class Checker {
 public:
  Checker(const ScheduleFactory& factory, int ranks, std::size_t elements)
      : sums_(ranks), elements_(elements), members_(ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      members_[rank].schedule = factory(ranks, rank, elements);
      members_[rank].values.assign(elements, sums_.leaf(rank));
    }
  }

  std::optional<std::string> run() {
    for (int rank = 0; rank < size(); ++rank) enter_round(rank);
    while (!failure_ && !runnable_.empty()) {
      const int rank = runnable_.front();
      runnable_.pop_front();
      finish_round(rank);
    }
    if (!failure_) check_end();
    return failure_;
  }

 private:
  int size() const { return static_cast<int>(members_.size()); }

  void fail(std::string reason) {
    if (!failure_) failure_ = std::move(reason);
  }

  void enter_round(int rank) {
    Member& member = members_[rank];
    if (member.round_index == member.schedule->rounds()) return;
    member.round = member.schedule->round(member.round_index);
    member.received.assign(member.round.receives.size(), {});
    member.in_flight = member.round.sends.size() + member.round.receives.size();
    check_pieces(rank);
    if (failure_) return;
    if (member.in_flight == 0) runnable_.push_back(rank);
    for (const SendPiece& piece : member.round.sends) {
      const auto begin = member.values.begin() + static_cast<std::ptrdiff_t>(piece.offset);
      const std::pair link(rank, piece.peer);
      sends_[link].emplace_back(begin, begin + static_cast<std::ptrdiff_t>(piece.elements));
      match(link);
    }
    for (std::size_t i = 0; i < member.round.receives.size(); ++i) {
      const std::pair link(member.round.receives[i].peer, rank);
      receives_[link].push_back(i);
      match(link);
    }
  }

  void match(std::pair<int, int> link) {
    auto& sends = sends_[link];
    auto& receives = receives_[link];
    if (failure_ || sends.empty() || receives.empty()) return;
    const auto [source, destination] = link;
    Member& receiver = members_[destination];
    const std::size_t piece = receives.front();
    if (sends.front().size() != receiver.round.receives[piece].elements) {
      return fail(fmt::format("rank {} round {}: receives {} elements from rank {}, which sends {}",
                              destination, receiver.round_index,
                              receiver.round.receives[piece].elements, source,
                              sends.front().size()));
    }
    receiver.received[piece] = std::move(sends.front());
    sends.pop_front();
    receives.pop_front();
    settle(source);
    settle(destination);
  }

  void settle(int rank) {
    if (--members_[rank].in_flight == 0) runnable_.push_back(rank);
  }

  void finish_round(int rank) {
    Member& member = members_[rank];
    for (std::size_t i = 0; i < member.round.receives.size(); ++i) {
      const ReceivePiece& piece = member.round.receives[i];
      for (std::size_t k = 0; k < piece.elements; ++k) {
        int& value = member.values[piece.offset + k];
        const int incoming = member.received[i][k];
        value = piece.action == Action::kAdd ? sums_.add(value, incoming) : incoming;
      }
    }
    ++member.round_index;
    enter_round(rank);
  }

  void check_pieces(int rank) {
    const Member& member = members_[rank];
    const auto where = [&] { return fmt::format("rank {} round {}: ", rank, member.round_index); };
    const auto check = [&](int peer, std::size_t offset, std::size_t count) {
      if (peer < 0 || peer >= size() || peer == rank) {
        fail(where() + fmt::format("peer {} is no other rank", peer));
      } else if (count == 0 || offset + count > elements_) {
        fail(where() + fmt::format("piece [{}, {}) is empty or outside the {} elements", offset,
                                   offset + count, elements_));
      }
    };
    for (const SendPiece& piece : member.round.sends) {
      check(piece.peer, piece.offset, piece.elements);
    }
    std::vector<std::pair<std::size_t, std::size_t>> written;  // [begin, end)
    for (const ReceivePiece& piece : member.round.receives) {
      check(piece.peer, piece.offset, piece.elements);
      const auto touches = [&](std::size_t begin, std::size_t end) {
        return piece.offset < end && begin < piece.offset + piece.elements;
      };
      for (const SendPiece& sent : member.round.sends) {
        if (touches(sent.offset, sent.offset + sent.elements)) {
          fail(where() + fmt::format("receives into element {} while sending it",
                                     std::max(piece.offset, sent.offset)));
        }
      }
      for (const auto& [begin, end] : written) {
        if (touches(begin, end)) {
          fail(where() +
               fmt::format("two receives touch element {}", std::max(piece.offset, begin)));
        }
      }
      written.emplace_back(piece.offset, piece.offset + piece.elements);
    }
  }

  void check_end() {
    for (int rank = 0; rank < size(); ++rank) {
      const Member& member = members_[rank];
      if (member.round_index < member.schedule->rounds()) {
        return fail(fmt::format("rank {} round {}: waits for a message that never comes", rank,
                                member.round_index));
      }
    }
    for (int rank = 0; rank < size(); ++rank) {
      for (std::size_t element = 0; element < elements_; ++element) {
        const int value = members_[rank].values[element];
        if (!sums_.is_complete(value)) {
          return fail(fmt::format("rank {} element {}: not every rank's contribution exactly once",
                                  rank, element));
        }
        if (value != members_[0].values[element]) {
          return fail(fmt::format("rank {} element {}: summed in another order than on rank 0",
                                  rank, element));
        }
      }
    }
  }

  Sums sums_;
  std::size_t elements_;
  std::vector<Member> members_;
  /// Posted and not yet matched, by (source, destination): the values sent, and the receiver's
  /// index of the piece.
  std::map<std::pair<int, int>, std::deque<std::vector<int>>> sends_;
  std::map<std::pair<int, int>, std::deque<std::size_t>> receives_;
  std::deque<int> runnable_;  ///< ranks whose round is done
  std::optional<std::string> failure_;
};

}  // namespace

std::optional<std::string> check_all_reduce(const ScheduleFactory& factory, int ranks,
                                            std::size_t elements) {
  return Checker(factory, ranks, elements).run();
}

}  // namespace tandem
