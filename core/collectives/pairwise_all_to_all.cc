#include "core/collectives/pairwise_all_to_all.h"

namespace tandem {
namespace {

class PairwiseAllToAll final : public RankSchedule {
 public:
  PairwiseAllToAll(int ranks, int rank, std::size_t elements)
      : RankSchedule("pairwise_all_to_all", ranks, rank, elements) {}

  int rounds() const override { return ranks() - 1; }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<PairwiseAllToAll>(ranks(), rank, elements());
  }

  Round round(int k) const override {
    const int destination = (rank() + k + 1) % ranks();
    const int source = (rank() + ranks() - k - 1) % ranks();
    Round round;
    add_send(round, destination, block(destination));
    add_receive(round, source, block(ranks() + source), Action::kCopy);
    return round;
  }

 private:
  Chunk block(int index) const {
    const std::size_t size = elements() / (2 * static_cast<std::size_t>(ranks()));
    return {static_cast<std::size_t>(index) * size, size};
  }
};

}  // namespace

std::unique_ptr<const Schedule> pairwise_all_to_all(int ranks, int rank, std::size_t elements) {
  return std::make_unique<PairwiseAllToAll>(ranks, rank, elements);
}

}  // namespace tandem
