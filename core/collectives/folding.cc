#include "core/collectives/folding.h"

#include <bit>

namespace tandem {

FoldingSchedule::FoldingSchedule(std::string_view name, int ranks, int rank, std::size_t elements)
    : RankSchedule(name, ranks, rank, elements),
      places_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      log_places_(std::bit_width(static_cast<unsigned>(ranks)) - 1),
      folded_(ranks - places_) {}

Round FoldingSchedule::round(int k) const {
  if (folded_ > 0 && k == 0) return fold();
  if (folded_ > 0 && k == rounds() - 1) return unfold();
  if (gives()) return {};
  return exchange(folded_ > 0 ? k - 1 : k, in_pair() ? rank() / 2 : rank() - folded_);
}

Round FoldingSchedule::fold() const {
  Round round;
  if (gives()) {
    add_send(round, rank() + 1, all());
  } else if (in_pair()) {
    add_receive(round, rank() - 1, all(), Action::kAdd);
  }
  return round;
}

Round FoldingSchedule::unfold() const {
  Round round;
  if (gives()) {
    add_receive(round, rank() + 1, all(), Action::kCopy);
  } else if (in_pair()) {
    add_send(round, rank() - 1, all());
  }
  return round;
}

}  // namespace tandem
