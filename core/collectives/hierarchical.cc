#include "core/collectives/hierarchical.h"

#include <algorithm>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

class Hierarchical final : public RankSchedule {
 public:
  Hierarchical(int node_size, int ranks, int rank, std::size_t elements)
      : RankSchedule("hierarchical", ranks, rank, elements, static_cast<std::size_t>(node_size)),
        node_size_(std::min(node_size, ranks)),
        nodes_((ranks + node_size_ - 1) / node_size_),
        node_(rank / node_size_),
        local_rank_(rank % node_size_),
        local_ranks_(ranks_of(node_)) {}

  int rounds() const override { return 2 * inside_steps() + 2 * (nodes_ - 1); }

  // A smaller node is done with its steps inside earlier, and idle until the others are.
  Round round(int k) const override {
    const int across_steps = 2 * (nodes_ - 1);
    const int own_steps = local_ranks_ - 1;
    if (k < inside_steps()) return k < own_steps ? inside(k) : Round{};
    k -= inside_steps();
    if (k < across_steps) return across(k);
    k -= across_steps;
    return k < own_steps ? inside(own_steps + k) : Round{};
  }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<Hierarchical>(node_size_, ranks(), rank, elements());
  }

  // Where no node is smaller, as a ring's.
  Stretch stretch(int k, int most) const override {
    if (ranks() % node_size_ != 0 || elements() < static_cast<std::size_t>(ranks()))
      return RankSchedule::stretch(k, most);
    const int across_steps = 2 * (nodes_ - 1);
    if (k < inside_steps()) return inside(k, most);
    k -= inside_steps();
    if (k < across_steps) return across(k, most);
    return inside(inside_steps() + k - across_steps, most);
  }

 private:
  int inside_steps() const { return node_size_ - 1; }

  Round inside(int k) const {
    Round round;
    const RingStep step = ring_step(local_ranks_, local_rank_, k);
    const int first = node_ * node_size_;
    add_send(round, first + step.next, pieces_of(step.outgoing));
    add_receive(round, first + step.previous, pieces_of(step.incoming), step.action);
    return round;
  }

  Round across(int k) const {
    const RingStep step = ring_step(nodes_, node_, k);
    Round round;
    for (int index = first_piece(local_rank_); index < first_piece(local_rank_ + 1); ++index) {
      const Chunk piece = chunk(elements(), node_size_, index);
      add_send(round, holder(step.next, index), chunk(piece, nodes_, step.outgoing));
      add_receive(round, holder(step.previous, index), chunk(piece, nodes_, step.incoming),
                  step.action);
    }
    return round;
  }

  Stretch inside(int k, int most) const {
    const int first = node_ * node_size_;
    Stretch stretch = ring_stretch(node_size_, local_rank_, elements(), k, most);
    for (SendPiece& piece : stretch.sum.sends) piece.peer += first;
    for (ReceivePiece& piece : stretch.sum.receives) piece.peer += first;
    stretch.sent_by_all = stretch.rounds * elements() * nodes_;
    return stretch;
  }

  Stretch across(int k, int most) const {
    const std::size_t piece = chunk(elements(), node_size_, local_rank_).elements;
    Stretch stretch = ring_stretch(nodes_, node_, piece, k, most);
    for (SendPiece& sent : stretch.sum.sends) sent.peer = holder(sent.peer, local_rank_);
    for (ReceivePiece& got : stretch.sum.receives) got.peer = holder(got.peer, local_rank_);
    stretch.sent_by_all = stretch.rounds * elements();
    return stretch;
  }

  int ranks_of(int node) const { return std::min(node_size_, ranks() - node * node_size_); }

  /// The buffer is node_size_ pieces; of a node of fewer ranks each holds some consecutive ones.
  int first_piece(int local_rank) const { return local_rank * node_size_ / local_ranks_; }

  Chunk pieces_of(int local_rank) const {
    const std::size_t begin = chunk(elements(), node_size_, first_piece(local_rank)).offset;
    const Chunk last = chunk(elements(), node_size_, first_piece(local_rank + 1) - 1);
    return {begin, last.offset + last.elements - begin};
  }

  /// The rank of `node` that holds a piece: the last whose first_piece() is not after it.
  int holder(int node, int piece) const {
    return node * node_size_ + ((piece + 1) * ranks_of(node) - 1) / node_size_;
  }

  int node_size_;
  int nodes_;
  int node_;
  int local_rank_;
  int local_ranks_;
};

}  // namespace

ScheduleFactory hierarchical(int node_size) {
  return [node_size](int ranks, int rank, std::size_t elements) {
    return std::make_unique<Hierarchical>(node_size, ranks, rank, elements);
  };
}

}  // namespace tandem
