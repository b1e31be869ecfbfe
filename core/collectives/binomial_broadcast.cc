#include "core/collectives/binomial_broadcast.h"

#include <bit>

namespace tandem {
namespace {

class BinomialBroadcast final : public RankSchedule {
 public:
  BinomialBroadcast(int ranks, int rank, std::size_t elements)
      : RankSchedule("binomial_broadcast", ranks, rank, elements) {}

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<BinomialBroadcast>(ranks(), rank, elements());
  }

  int rounds() const override { return std::bit_width(static_cast<unsigned>(ranks() - 1)); }

  Round round(int k) const override {
    const int reached = 1 << k;
    const Chunk all = {0, elements()};
    Round round;
    if (rank() < reached && rank() + reached < ranks()) {
      add_send(round, rank() + reached, all);
    } else if (rank() >= reached && rank() < 2 * reached) {
      add_receive(round, rank() - reached, all, Action::kCopy);
    }
    return round;
  }
};

}  // namespace

std::unique_ptr<const Schedule> binomial_broadcast(int ranks, int rank, std::size_t elements) {
  return std::make_unique<BinomialBroadcast>(ranks, rank, elements);
}

}  // namespace tandem
