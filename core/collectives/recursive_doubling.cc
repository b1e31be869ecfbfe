#include "core/collectives/recursive_doubling.h"

#include "core/collectives/folding.h"

namespace tandem {
namespace {

class RecursiveDoubling final : public FoldingSchedule {
 public:
  RecursiveDoubling(int ranks, int rank, std::size_t elements)
      : FoldingSchedule("recursive_doubling", ranks, rank, elements) {}

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<RecursiveDoubling>(ranks(), rank, elements());
  }

  Stretch stretch(int k, int most) const override {
    Stretch stretch = FoldingSchedule::stretch(k, most);
    if (!has_folded() && elements() > 0) stretch.sent_by_all = elements() * places();
    return stretch;
  }

 private:
  int exchanges() const override { return log_places(); }

  Round exchange(int k, int place) const override {
    Round round;
    const int peer = rank_at(place ^ (1 << k));
    add_send(round, peer, all());
    add_receive(round, peer, all(), Action::kAdd);
    return round;
  }
};

}  // namespace

std::unique_ptr<const Schedule> recursive_doubling(int ranks, int rank, std::size_t elements) {
  return std::make_unique<RecursiveDoubling>(ranks, rank, elements);
}

}  // namespace tandem
