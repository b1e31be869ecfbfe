#include "sim/executors/stretches.h"

namespace tandem {

int most_rounds(Schedules schedules) {
  int rounds = 0;
  for (const auto& schedule : schedules) rounds = std::max(rounds, schedule->rounds());
  return rounds;
}

int read_stretches(Schedules schedules, int k, int most, Stretches& stretches) {
  int rounds = most;
  const auto read = [&](std::size_t rank) {
    stretches[rank] = k < schedules[rank]->rounds() ? schedules[rank]->stretch(k, rounds)
                                                    : Stretch{rounds, {}, {}};
    rounds = stretches[rank].rounds;
  };
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) read(rank);
  // Who is asked for fewer may know of fewer still.
  for (std::size_t rank = 0, agreed = 0; agreed < schedules.size(); ++agreed) {
    if (stretches[rank].rounds > rounds) {
      read(rank);
      agreed = 0;
    }
    rank = (rank + 1) % schedules.size();
  }
  return rounds;
}

std::size_t elements_to_add(const Round& sum) {
  std::size_t elements = 0;
  for (const ReceivePiece& piece : sum.receives) {
    if (piece.action == Action::kAdd) elements += piece.elements;
  }
  return elements;
}

Sizes sizes_of(const Stretches& stretches) {
  Sizes sizes;
  for (const Stretch& stretch : stretches) {
    for (const SendPiece& piece : stretch.sum.sends) {
      sizes.add(largest_of(piece.elements, stretch.rounds));
      sizes.add(smallest_of(piece.elements, stretch.rounds));
    }
  }
  return sizes;
}

}  // namespace tandem
