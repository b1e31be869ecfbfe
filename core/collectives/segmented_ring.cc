#include "core/collectives/segmented_ring.h"

#include <algorithm>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

class SegmentedRing final : public RankSchedule {
 public:
  SegmentedRing(std::size_t segment, int ranks, int rank, std::size_t elements)
      : RankSchedule("segmented_ring", ranks, rank, elements, segment), segment_(segment) {
    const std::size_t largest = chunk(elements, ranks, 0).elements;
    phases_ = static_cast<int>(std::max<std::size_t>(1, (largest + segment - 1) / segment));
  }

  int rounds() const override { return (phases_ + 1) * steps(); }

  Round round(int k) const override {
    const bool reduces = k < phases_ * steps();
    const int phase = k / steps();
    const RingStep step =
        ring_step(ranks(), rank(), reduces ? k % steps() : k - (phases_ - 1) * steps());
    const auto piece = [&](int index) {
      const Chunk whole = chunk(elements(), ranks(), index);
      return reduces ? chunk(whole, phases_, phase) : whole;
    };
    Round round;
    add_send(round, step.next, piece(step.outgoing));
    add_receive(round, step.previous, piece(step.incoming), step.action);
    return round;
  }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<SegmentedRing>(segment_, ranks(), rank, elements());
  }

  // As a ring's. What a phase has of two chunks differs by an element too.
  Stretch stretch(int k, int most) const override {
    const std::size_t smaller = elements() / ranks();
    if (smaller < static_cast<std::size_t>(phases_)) return RankSchedule::stretch(k, most);
    const bool reduces = k < phases_ * steps();
    const int at = reduces ? k % steps() : k - (phases_ - 1) * steps();
    const RingStep step = ring_step(ranks(), rank(), at);
    const LikeRingSteps like = like_ring_steps(ranks(), rank(), at, most);
    const auto piece = [&](std::size_t whole) {
      return reduces ? chunk(whole, phases_, k / steps()).elements : whole;
    };
    const auto sum = [&](int first, int count) {
      const int larger = larger_chunks(elements(), ranks(), first, count);
      return larger * piece(smaller + 1) + (count - larger) * piece(smaller);
    };
    Stretch stretch{.rounds = like.steps, .sum = {}, .sent_by_all = like.steps * sum(0, ranks())};
    add_send(stretch.sum, step.next, {0, sum(like.first_outgoing, like.steps)});
    add_receive(stretch.sum, step.previous, {0, sum(like.first_incoming, like.steps)}, step.action);
    return stretch;
  }

 private:
  /// Of a phase, and of the all-gather.
  int steps() const { return ranks() - 1; }

  std::size_t segment_;  ///< elements
  int phases_;
};

}  // namespace

ScheduleFactory segmented_ring(std::size_t segment_elements) {
  return [segment_elements](int ranks, int rank, std::size_t elements) {
    return std::make_unique<SegmentedRing>(segment_elements, ranks, rank, elements);
  };
}

}  // namespace tandem
