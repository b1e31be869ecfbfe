#include "core/collectives/ring.h"

#include <algorithm>

namespace tandem {
namespace {

int wrap(int index, int ranks) {
  return ((index % ranks) + ranks) % ranks;
}

/// The steps [first, first + rounds) of an all-reduce.
class Ring final : public RankSchedule {
 public:
  Ring(std::string_view name, int ranks, int rank, std::size_t elements, int first, int rounds)
      : RankSchedule(name, ranks, rank, elements), first_(first), rounds_(rounds) {}

  int rounds() const override { return rounds_; }

  Round round(int k) const override {
    const RingStep step = ring_step(ranks(), rank(), first_ + k);
    Round round;
    add_send(round, step.next, chunk(elements(), ranks(), step.outgoing));
    add_receive(round, step.previous, chunk(elements(), ranks(), step.incoming), step.action);
    return round;
  }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<Ring>(name(), ranks(), rank, elements(), first_, rounds_);
  }

  // Without a chunk a step has no messages, so with fewer elements than ranks no two are alike.
  Stretch stretch(int k, int most) const override {
    if (elements() < static_cast<std::size_t>(ranks())) return RankSchedule::stretch(k, most);
    Stretch stretch =
        ring_stretch(ranks(), rank(), elements(), first_ + k, std::min(most, rounds_ - k));
    stretch.sent_by_all = stretch.rounds * elements();
    return stretch;
  }

 private:
  int first_;
  int rounds_;
};

}  // namespace

// Rank r's own part of chunk r-1 sets out first. After N-1 steps of adding, chunk r has been to all
// ranks and comes in at rank r, which is just the one that step N-1 passes on, now to be copied.
RingStep ring_step(int ranks, int rank, int k) {
  return {.next = wrap(rank + 1, ranks),
          .previous = wrap(rank - 1, ranks),
          .outgoing = wrap(rank - k - 1, ranks),
          .incoming = wrap(rank - k - 2, ranks),
          .action = k < ranks - 1 ? Action::kAdd : Action::kCopy};
}

LikeRingSteps like_ring_steps(int ranks, int rank, int k, int most) {
  const int half = ranks - 1;
  const int steps = std::min(most, (k < half ? half : 2 * half) - k);
  return {.steps = steps,
          .first_outgoing = wrap(rank - k - steps, ranks),
          .first_incoming = wrap(rank - k - steps - 1, ranks)};
}

Stretch ring_stretch(int ranks, int rank, std::size_t elements, int k, int most) {
  const RingStep step = ring_step(ranks, rank, k);
  const LikeRingSteps like = like_ring_steps(ranks, rank, k, most);
  const auto sum = [&](int first) {
    return Chunk{0, chunk_sum(elements, ranks, first, like.steps)};
  };
  Stretch stretch{.rounds = like.steps, .sum = {}};
  add_send(stretch.sum, step.next, sum(like.first_outgoing));
  add_receive(stretch.sum, step.previous, sum(like.first_incoming), step.action);
  return stretch;
}

std::unique_ptr<const Schedule> ring_all_reduce(int ranks, int rank, std::size_t elements) {
  return std::make_unique<Ring>("ring", ranks, rank, elements, 0, 2 * (ranks - 1));
}

std::unique_ptr<const Schedule> ring_reduce_scatter(int ranks, int rank, std::size_t elements) {
  return std::make_unique<Ring>("ring_reduce_scatter", ranks, rank, elements, 0, ranks - 1);
}

std::unique_ptr<const Schedule> ring_all_gather(int ranks, int rank, std::size_t elements) {
  return std::make_unique<Ring>("ring_all_gather", ranks, rank, elements, ranks - 1, ranks - 1);
}

}  // namespace tandem
