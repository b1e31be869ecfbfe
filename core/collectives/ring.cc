#include "core/collectives/ring.h"

namespace tandem {
namespace {

class RingAllReduce final : public Schedule {
 public:
  RingAllReduce(int ranks, int rank, std::size_t elements)
      : ranks_(ranks), rank_(rank), elements_(elements) {}

  std::string_view name() const override { return "ring"; }
  int ranks() const override { return ranks_; }
  int rank() const override { return rank_; }
  std::size_t elements() const override { return elements_; }
  int rounds() const override { return 2 * (ranks_ - 1); }

  // Round k passes on chunk (rank - k), and takes in chunk (rank - k - 1). After N-1 rounds of
  // adding, rank holds the whole sum of chunk (rank + 1), which is just the one that round N-1
  // passes on, now to be copied.
  Round round(int k) const override {
    const Action action = k < ranks_ - 1 ? Action::kAdd : Action::kCopy;
    const Chunk outgoing = chunk(elements_, ranks_, wrap(rank_ - k));
    const Chunk incoming = chunk(elements_, ranks_, wrap(rank_ - k - 1));
    Round round;
    if (outgoing.elements > 0) {
      round.sends.push_back({wrap(rank_ + 1), outgoing.offset, outgoing.elements});
    }
    if (incoming.elements > 0) {
      round.receives.push_back({wrap(rank_ - 1), incoming.offset, incoming.elements, action});
    }
    return round;
  }

 private:
  int wrap(int index) const { return ((index % ranks_) + ranks_) % ranks_; }

  int ranks_;
  int rank_;
  std::size_t elements_;
};

}  // namespace

std::unique_ptr<const Schedule> ring_all_reduce(int ranks, int rank, std::size_t elements) {
  return std::make_unique<RingAllReduce>(ranks, rank, elements);
}

}  // namespace tandem
