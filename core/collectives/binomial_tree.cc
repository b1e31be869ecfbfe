#include "core/collectives/binomial_tree.h"

#include <bit>

namespace tandem {
namespace {

class BinomialTree final : public RankSchedule {
 public:
  BinomialTree(int ranks, int rank, std::size_t elements)
      : RankSchedule("binomial_tree", ranks, rank, elements) {}

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<BinomialTree>(ranks(), rank, elements());
  }

  int rounds() const override { return 2 * levels(); }

  // The reduction's rounds, and then the same from the last to the first, the other way.
  Round round(int k) const override {
    const bool reduces = k < levels();
    const int distance = 1 << (reduces ? k : rounds() - 1 - k);
    const int place = rank() % (2 * distance);
    const Chunk all = {0, elements()};
    Round round;
    if (place == distance) {
      if (reduces)
        add_send(round, rank() - distance, all);
      else
        add_receive(round, rank() - distance, all, Action::kCopy);
    } else if (place == 0 && rank() + distance < ranks()) {
      if (reduces)
        add_receive(round, rank() + distance, all, Action::kAdd);
      else
        add_send(round, rank() + distance, all);
    }
    return round;
  }

 private:
  int levels() const { return std::bit_width(static_cast<unsigned>(ranks() - 1)); }
};

}  // namespace

std::unique_ptr<const Schedule> binomial_tree(int ranks, int rank, std::size_t elements) {
  return std::make_unique<BinomialTree>(ranks, rank, elements);
}

}  // namespace tandem
