#include "core/collectives/halving_doubling.h"

#include <bit>

namespace tandem {
namespace {

class HalvingDoubling final : public RankSchedule {
 public:
  HalvingDoubling(int ranks, int rank, std::size_t elements)
      : RankSchedule("halving_doubling", ranks, rank, elements),
        places_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        exchanges_(std::bit_width(static_cast<unsigned>(ranks)) - 1),
        folded_(ranks - places_) {}

  int rounds() const override { return 2 * exchanges_ + (folded_ > 0 ? 2 : 0); }

  Round round(int k) const override {
    if (folded_ == 0) return exchange(k);
    if (k == 0) return fold();
    if (k == rounds() - 1) return unfold();
    return exchange(k - 1);
  }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<HalvingDoubling>(ranks(), rank, elements());
  }

  // Windows are halved to within an element, and cover the buffer as often as ranks share one.
  Stretch stretch(int k, int most) const override {
    Stretch stretch = RankSchedule::stretch(k, most);
    if (folded_ == 0 && elements() >= static_cast<std::size_t>(ranks()))
      stretch.sent_by_all = elements() * (places_ >> (distance(k) + 1));
    return stretch;
  }

 private:
  bool in_pair() const { return rank() < 2 * folded_; }
  bool gives() const { return in_pair() && rank() % 2 == 0; }
  Chunk all() const { return {0, elements()}; }

  Round fold() const {
    Round round;
    if (gives()) {
      add_send(round, rank() + 1, all());
    } else if (in_pair()) {
      add_receive(round, rank() - 1, all(), Action::kAdd);
    }
    return round;
  }

  Round unfold() const {
    Round round;
    if (gives()) {
      add_receive(round, rank() + 1, all(), Action::kCopy);
    } else if (in_pair()) {
      add_send(round, rank() - 1, all());
    }
    return round;
  }

  // Exchange j halves the vector between places 2^j apart, and its counterpart doubles it again.
  Round exchange(int k) const {
    Round round;
    if (gives()) return round;
    const bool halves = k < exchanges_;
    const int j = distance(k);
    const int place = in_pair() ? rank() / 2 : rank() - folded_;
    const int peer = place ^ (1 << j);
    const Chunk mine = window(place, j + 1);
    const Chunk others = window(peer, j + 1);
    add_send(round, rank_at(peer), halves ? others : mine);
    add_receive(round, rank_at(peer), halves ? mine : others,
                halves ? Action::kAdd : Action::kCopy);
    return round;
  }

  int distance(int k) const { return k < exchanges_ ? k : 2 * exchanges_ - 1 - k; }

  int rank_at(int place) const { return place < folded_ ? 2 * place + 1 : place + folded_; }

  /// What a place works on after so many halvings: bit j says which half it keeps at the j-th.
  Chunk window(int place, int halvings) const {
    Chunk kept = all();
    for (int j = 0; j < halvings; ++j) kept = chunk(kept, 2, place >> j & 1);
    return kept;
  }

  int places_;     ///< ranks that exchange: the largest power of two
  int exchanges_;  ///< log2 places_
  int folded_;     ///< ranks that don't
};

}  // namespace

std::unique_ptr<const Schedule> halving_doubling(int ranks, int rank, std::size_t elements) {
  return std::make_unique<HalvingDoubling>(ranks, rank, elements);
}

}  // namespace tandem
