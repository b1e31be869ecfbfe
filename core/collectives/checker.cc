#include "core/collectives/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace tandem {
namespace {

/// Values as interned ids: two elements hold the same id exactly when they were formed from the
/// same beginnings by the same additions. The order of the two operands doesn't count, since a + b
/// and b + a have the same bits.
class Values {
 public:
  Values(int ranks, std::size_t elements) : ranks_(ranks) {
    for (std::size_t element = 0; element < elements; ++element) {
      for (int rank = 0; rank < ranks; ++rank) {
        sums_.push_back({element, std::vector<int>(ranks, 0)});
        sums_.back().contributions[rank] = 1;
      }
    }
  }

  /// What rank `rank` begins with in `element`.
  int beginning(int rank, std::size_t element) const {
    return static_cast<int>(element) * ranks_ + rank;
  }

  int add(int a, int b) {
    const auto [entry, is_new] =
        ids_.try_emplace(std::minmax(a, b), static_cast<int>(sums_.size()));
    if (is_new) {
      Sum sum = sums_[a];
      if (sum.element != sums_[b].element) sum.element.reset();
      for (int rank = 0; rank < ranks_; ++rank) {
        sum.contributions[rank] += sums_[b].contributions[rank];
      }
      sums_.push_back(std::move(sum));
    }
    return entry->second;
  }

  /// Whether it is every rank's `element`, added up.
  bool is_whole_sum(int id, std::size_t element) const {
    return sums_[id].element == element &&
           std::ranges::all_of(sums_[id].contributions, [](int count) { return count == 1; });
  }

 private:
  struct Sum {
    std::optional<std::size_t> element;  ///< nothing where unlike elements were added
    std::vector<int> contributions;      ///< by rank: how often its element was added
  };
  int ranks_;
  std::map<std::pair<int, int>, int> ids_;
  std::vector<Sum> sums_;  ///< by id
};

/// What an element has to end as.
struct Wanted {
  enum class Kind { kAnything, kSum, kBeginning } kind;
  int rank = 0;             ///< kBeginning: whose
  std::size_t element = 0;  ///< kBeginning: which
};

int owner(std::size_t elements, int ranks, std::size_t element) {
  int rank = 0;
  for (Chunk piece = chunk(elements, ranks, 0); element >= piece.offset + piece.elements;
       piece = chunk(elements, ranks, rank)) {
    ++rank;
  }
  return rank;
}

Wanted wanted_of_all_to_all(int ranks, std::size_t elements, int rank, std::size_t element) {
  const std::size_t block = elements / (2 * static_cast<std::size_t>(ranks));
  const std::size_t half = block * static_cast<std::size_t>(ranks);
  const Wanted untouched = {Wanted::Kind::kBeginning, rank, element};
  if (element < half || element >= 2 * half) return untouched;
  const int source = static_cast<int>((element - half) / block);
  if (source == rank) return untouched;
  return {Wanted::Kind::kBeginning, source,
          static_cast<std::size_t>(rank) * block + (element - half) % block};
}

Wanted wanted(Collective collective, int ranks, std::size_t elements, int rank,
              std::size_t element) {
  switch (collective) {
    case Collective::kAllReduce:
      return {Wanted::Kind::kSum};
    case Collective::kReduceScatter:
      return {owner(elements, ranks, element) == rank ? Wanted::Kind::kSum
                                                      : Wanted::Kind::kAnything};
    case Collective::kAllGather:
      return {Wanted::Kind::kBeginning, owner(elements, ranks, element), element};
    case Collective::kBroadcast:
      return {Wanted::Kind::kBeginning, 0, element};
    case Collective::kAllToAll:
      return wanted_of_all_to_all(ranks, elements, rank, element);
  }
  std::abort();
}

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
  Checker(Collective collective, const ScheduleFactory& factory, int ranks, std::size_t elements)
      : collective_(collective),
        values_(ranks, elements),
        elements_(elements),
        members_(ranks),
        sums_(elements) {
    for (int rank = 0; rank < ranks; ++rank) {
      members_[rank].schedule = factory(ranks, rank, elements);
      for (std::size_t element = 0; element < elements; ++element) {
        members_[rank].values.push_back(values_.beginning(rank, element));
      }
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
        value = piece.action == Action::kAdd ? values_.add(value, incoming) : incoming;
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
        if (piece.action == Action::kCopy && touches(sent.offset, sent.offset + sent.elements)) {
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
      for (std::size_t element = 0; element < elements_; ++element) check_value(rank, element);
    }
  }

  void check_value(int rank, std::size_t element) {
    const Wanted want = wanted(collective_, size(), elements_, rank, element);
    const int value = members_[rank].values[element];
    const auto where = [&] { return fmt::format("rank {} element {}: ", rank, element); };
    if (want.kind == Wanted::Kind::kSum) {
      std::optional<int>& sum = sums_[element];
      if (!sum) sum = value;
      if (!values_.is_whole_sum(value, element)) {
        fail(where() + "not every rank's contribution exactly once");
      } else if (value != *sum) {
        fail(where() + "summed in another order than on a rank before");
      }
    } else if (want.kind == Wanted::Kind::kBeginning &&
               value != values_.beginning(want.rank, want.element)) {
      fail(where() + fmt::format("not what rank {} had in element {}", want.rank, want.element));
    }
  }

  Collective collective_;
  Values values_;
  std::size_t elements_;
  std::vector<Member> members_;
  /// Posted and not yet matched, by (source, destination): the values sent, and the receiver's
  /// index of the piece.
  std::map<std::pair<int, int>, std::deque<std::vector<int>>> sends_;
  std::map<std::pair<int, int>, std::deque<std::size_t>> receives_;
  std::deque<int> runnable_;              ///< ranks whose round is done
  std::vector<std::optional<int>> sums_;  ///< by element, as the first rank that has it ended
  std::optional<std::string> failure_;
};

}  // namespace

std::optional<std::string> check_collective(Collective collective, const ScheduleFactory& factory,
                                            int ranks, std::size_t elements) {
  return Checker(collective, factory, ranks, elements).run();
}

}  // namespace tandem
