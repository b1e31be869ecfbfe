#include "core/collectives/halving_doubling.h"

#include "core/collectives/folding.h"

namespace tandem {
namespace {

class HalvingDoubling final : public FoldingSchedule {
 public:
  HalvingDoubling(int ranks, int rank, std::size_t elements)
      : FoldingSchedule("halving_doubling", ranks, rank, elements) {}

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<HalvingDoubling>(ranks(), rank, elements());
  }

  // Windows are halved to within an element, and cover the buffer as often as ranks share one.
  Stretch stretch(int k, int most) const override {
    Stretch stretch = FoldingSchedule::stretch(k, most);
    if (!has_folded() && elements() >= static_cast<std::size_t>(ranks()))
      stretch.sent_by_all = elements() * (places() >> (distance(k) + 1));
    return stretch;
  }

 private:
  int exchanges() const override { return 2 * log_places(); }

  // Exchange j halves the vector between places 2^j apart, and its counterpart doubles it again.
  Round exchange(int k, int place) const override {
    Round round;
    const bool halves = k < log_places();
    const int j = distance(k);
    const int peer = place ^ (1 << j);
    const Chunk mine = window(place, j + 1);
    const Chunk others = window(peer, j + 1);
    add_send(round, rank_at(peer), halves ? others : mine);
    add_receive(round, rank_at(peer), halves ? mine : others,
                halves ? Action::kAdd : Action::kCopy);
    return round;
  }

  int distance(int k) const { return k < log_places() ? k : exchanges() - 1 - k; }

  /// What a place works on after so many halvings: bit j says which half it keeps at the j-th.
  Chunk window(int place, int halvings) const {
    Chunk kept = all();
    for (int j = 0; j < halvings; ++j) kept = chunk(kept, 2, place >> j & 1);
    return kept;
  }
};

}  // namespace

std::unique_ptr<const Schedule> halving_doubling(int ranks, int rank, std::size_t elements) {
  return std::make_unique<HalvingDoubling>(ranks, rank, elements);
}

}  // namespace tandem
