#include "core/collectives/taking_part.h"

namespace tandem {

std::vector<int> group_ranks(const Schedule& schedule) {
  std::vector<int> ranks;
  for (int rank = 0; rank < schedule.ranks(); ++rank) ranks.push_back(schedule.group_rank(rank));
  return ranks;
}

void record_messages(const Schedule& schedule, std::size_t element_bytes, Recorder& recorder) {
  for (int k = 0; k < schedule.rounds(); ++k) {
    const Round round = schedule.round(k);
    for (const SendPiece& piece : round.sends) recorder.sent(piece.elements * element_bytes);
    for (const ReceivePiece& piece : round.receives)
      recorder.received(piece.elements * element_bytes);
  }
}

}  // namespace tandem
