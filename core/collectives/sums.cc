#include "core/collectives/sums.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "core/comm/elementwise.h"

namespace tandem {
namespace {

/// Sums by number: equal ones have equal numbers, and the order of two operands doesn't count,
/// since a + b and b + a have the same bits. What rank r began with has number r.
class Sums {
 public:
  explicit Sums(int ranks) : ranks_(ranks) {}

  int add(int a, int b) {
    const auto next = ranks_ + static_cast<int>(operands_.size());
    const auto [entry, is_new] = numbers_.try_emplace(std::minmax(a, b), next);
    if (is_new) operands_.push_back(entry->first);
    return entry->second;
  }

  Sum formed(int number, const Chunk& piece) const {
    Sum sum{.piece = piece, .steps = {}};
    int height = 0;
    form(number, height, sum);
    return sum;
  }

 private:
  bool is_beginning(int number) const { return number < ranks_; }

  void form(int number, int& height, Sum& sum) const {
    if (is_beginning(number)) {
      sum.steps.push_back({SumStep::Kind::kPush, number});
      sum.depth = std::max(sum.depth, ++height);
      return;
    }
    auto [first, second] = operands_[number - ranks_];
    if (is_beginning(first)) std::swap(first, second);
    form(first, height, sum);
    if (is_beginning(second)) {
      sum.steps.push_back({SumStep::Kind::kAdd, second});
    } else {
      form(second, height, sum);
      sum.steps.push_back({SumStep::Kind::kFold});
      --height;
    }
  }

  int ranks_;
  std::map<std::pair<int, int>, int> numbers_;
  std::vector<std::pair<int, int>> operands_;  ///< by number, from ranks_ on
};

/// Elements [begin, end) of one sum.
struct Stretched {
  std::size_t begin;
  std::size_t end;
  int sum;
  bool operator==(const Stretched&) const = default;
};

/// A rank's buffer: which sum each element is.
class SymbolicBuffer {
 public:
  SymbolicBuffer(std::size_t elements, int beginning) : elements_(elements) {
    sums_[0] = beginning;
  }

  std::vector<Stretched> read(std::size_t offset, std::size_t count) const {
    std::vector<Stretched> read;
    auto at = std::prev(sums_.upper_bound(offset));
    for (std::size_t begin = offset; begin < offset + count; ++at) {
      const auto next = std::next(at);
      const std::size_t end =
          std::min(next == sums_.end() ? elements_ : next->first, offset + count);
      if (!read.empty() && read.back().sum == at->second) {
        read.back().end = end;
      } else {
        read.push_back({begin, end, at->second});
      }
      begin = end;
    }
    return read;
  }
  std::vector<Stretched> all() const { return read(0, elements_); }

  void write(const Stretched& piece) {
    if (piece.end < elements_) split(piece.end);
    split(piece.begin);
    sums_.erase(sums_.upper_bound(piece.begin), sums_.lower_bound(piece.end));
    sums_[piece.begin] = piece.sum;
  }

 private:
  void split(std::size_t at) {
    const auto after = sums_.upper_bound(at);
    sums_.try_emplace(after, at, std::prev(after)->second);
  }

  std::size_t elements_;
  std::map<std::size_t, int> sums_;  ///< by the element from which on
};

/// One rank on its way through its part.
struct Participant {
  std::unique_ptr<const Schedule> part;
  SymbolicBuffer buffer;
  int round_index = 0;
  Round round = {};
  std::size_t in_flight = 0;
};

/// Runs all parts. A receive takes the message that its sender sent it first.
class SymbolicRun {
 public:
  explicit SymbolicRun(const Schedule& schedule) : sums_(schedule.ranks()) {
    for (int rank = 0; rank < schedule.ranks(); ++rank)
      members_.push_back({schedule.part_of(rank), {schedule.elements(), rank}});
  }

  std::optional<std::vector<Sum>> run() {
    const auto is_known = [](const Participant& member) { return member.part != nullptr; };
    if (!std::ranges::all_of(members_, is_known)) return std::nullopt;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) enter_round(static_cast<int>(rank));
    while (!runnable_.empty() && !moves_) {
      const int rank = runnable_.front();
      runnable_.pop_front();
      go_on(rank);
    }
    const auto is_done = [](const Participant& m) { return m.round_index == m.part->rounds(); };
    if (moves_ || !std::ranges::all_of(members_, is_done)) return std::nullopt;
    return result();
  }

 private:
  using Link = std::pair<int, int>;  ///< source, destination

  int group_rank(int rank) const { return members_[rank].part->group_rank(rank); }

  void enter_round(int rank) {
    Participant& member = members_[rank];
    if (member.round_index == member.part->rounds()) return;
    member.round = member.part->round(member.round_index);
    for (const SendPiece& piece : member.round.sends) {
      sent_[{group_rank(rank), piece.peer}].push_back(
          {piece.offset, member.buffer.read(piece.offset, piece.elements)});
      const auto waiting = waiting_.find(piece.peer);
      if (waiting == waiting_.end()) continue;
      runnable_.push_back(waiting->second);
      waiting_.erase(waiting);
    }
    runnable_.push_back(rank);
  }

  /// Ends the rank's round, or leaves it waiting for the first message that is not there yet.
  void go_on(int rank) {
    Participant& member = members_[rank];
    for (const ReceivePiece& piece : member.round.receives) {
      if (!sent_[{piece.peer, group_rank(rank)}].empty()) continue;
      waiting_[group_rank(rank)] = rank;
      return;
    }
    for (const ReceivePiece& piece : member.round.receives) {
      auto& messages = sent_[{piece.peer, group_rank(rank)}];
      if (messages.empty()) return moves();  // two of one sender in a round
      const Message message = std::move(messages.front());
      messages.pop_front();
      if (message.offset != piece.offset || message.size() != piece.elements) return moves();
      take_in(member.buffer, message, piece.action);
    }
    ++member.round_index;
    enter_round(rank);
  }

  struct Message {
    std::size_t offset;
    std::vector<Stretched> content;
    std::size_t size() const { return content.back().end - offset; }
  };

  void take_in(SymbolicBuffer& buffer, const Message& message, Action action) {
    for (const Stretched& piece : message.content) {
      if (action == Action::kCopy) {
        buffer.write(piece);
        continue;
      }
      for (const Stretched& own : buffer.read(piece.begin, piece.end - piece.begin))
        buffer.write({own.begin, own.end, sums_.add(own.sum, piece.sum)});
    }
  }

  void moves() { moves_ = true; }

  std::optional<std::vector<Sum>> result() const {
    const std::vector<Stretched> first = members_.front().buffer.all();
    for (const Participant& member : members_) {
      if (member.buffer.all() != first) return std::nullopt;
    }
    std::vector<Sum> sums;
    for (const Stretched& piece : first)
      sums.push_back(sums_.formed(piece.sum, {piece.begin, piece.end - piece.begin}));
    return sums;
  }

  Sums sums_;
  std::vector<Participant> members_;
  std::map<Link, std::deque<Message>> sent_;  ///< and not yet received, in the group's numbers
  std::map<int, int> waiting_;                ///< by the group's number
  std::deque<int> runnable_;
  bool moves_ = false;
};

}  // namespace

std::optional<std::vector<Sum>> sums_of(const Schedule& schedule) {
  return SymbolicRun(schedule).run();
}

void form(const Sum& sum, std::span<const View> beginnings, std::span<const View> stack) {
  std::size_t height = 0;
  for (const SumStep& step : sum.steps) {
    switch (step.kind) {
      case SumStep::Kind::kPush:
        std::memcpy(stack[height].data, beginnings[step.rank].data, stack[height].bytes());
        ++height;
        break;
      case SumStep::Kind::kAdd:
        add(stack[height - 1], beginnings[step.rank]);
        break;
      case SumStep::Kind::kFold:
        --height;
        add(stack[height - 1], stack[height]);
        break;
    }
  }
}

}  // namespace tandem
