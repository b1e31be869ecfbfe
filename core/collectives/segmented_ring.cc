#include "core/collectives/segmented_ring.h"

#include <algorithm>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

class SegmentedRing final : public RankSchedule {
 public:
  SegmentedRing(std::size_t segment, int ranks, int rank, std::size_t elements)
      : RankSchedule("segmented_ring", ranks, rank, elements) {
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

 private:
  /// Of a phase, and of the all-gather.
  int steps() const { return ranks() - 1; }

  int phases_;
};

}  // namespace

ScheduleFactory segmented_ring(std::size_t segment_elements) {
  return [segment_elements](int ranks, int rank, std::size_t elements) {
    return std::make_unique<SegmentedRing>(segment_elements, ranks, rank, elements);
  };
}

}  // namespace tandem
