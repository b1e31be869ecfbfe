#include "core/collectives/linear.h"

namespace tandem {
namespace {

class Linear final : public RankSchedule {
 public:
  Linear(int ranks, int rank, std::size_t elements)
      : RankSchedule("linear", ranks, rank, elements) {}

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<Linear>(ranks(), rank, elements());
  }

  int rounds() const override {
    if (ranks() == 1) return 0;
    return rank() == 0 ? ranks() : 2;
  }

  // Receives of one round may not land on the same elements, so rank 0 has a round for each.
  Round round(int k) const override {
    const Chunk all = {0, elements()};
    const bool is_last = k == rounds() - 1;
    Round round;
    if (rank() == 0 && is_last) {
      for (int other = 1; other < ranks(); ++other) add_send(round, other, all);
    } else if (rank() == 0) {
      add_receive(round, k + 1, all, Action::kAdd);
    } else if (is_last) {
      add_receive(round, 0, all, Action::kCopy);
    } else {
      add_send(round, 0, all);
    }
    return round;
  }
};

}  // namespace

std::unique_ptr<const Schedule> linear_all_reduce(int ranks, int rank, std::size_t elements) {
  return std::make_unique<Linear>(ranks, rank, elements);
}

}  // namespace tandem
