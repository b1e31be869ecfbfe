#include "core/collectives/taking_part.h"

namespace tandem {

std::vector<int> group_ranks(const Schedule& schedule) {
  std::vector<int> ranks;
  for (int rank = 0; rank < schedule.ranks(); ++rank) ranks.push_back(schedule.group_rank(rank));
  return ranks;
}

Traffic traffic_of(const Schedule& schedule, std::size_t element_bytes) {
  Traffic traffic;
  for (int k = 0; k < schedule.rounds(); ++k) {
    const Round round = schedule.round(k);
    for (const SendPiece& piece : round.sends)
      traffic = traffic + sent_messages(piece.elements * element_bytes);
    for (const ReceivePiece& piece : round.receives)
      traffic = traffic + received_messages(piece.elements * element_bytes);
  }
  return traffic;
}

}  // namespace tandem
