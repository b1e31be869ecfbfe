#include "core/collectives/schedule.h"

#include <algorithm>

namespace tandem {

Chunk chunk(std::size_t elements, int parts, int k) {
  const std::size_t quotient = elements / parts;
  const std::size_t remainder = elements % parts;
  const std::size_t index = static_cast<std::size_t>(k);
  return {index * quotient + std::min(index, remainder), quotient + (index < remainder ? 1 : 0)};
}

Chunk chunk(const Chunk& whole, int parts, int k) {
  const Chunk piece = chunk(whole.elements, parts, k);
  return {whole.offset + piece.offset, piece.elements};
}

int larger_chunks(std::size_t elements, int parts, int first, int count) {
  const int larger = static_cast<int>(elements % parts);
  const int after = std::min(first + count, larger) - first;   // before it counts round
  const int around = std::min(first + count - parts, larger);  // from chunk 0 on
  return std::max(after, 0) + std::max(around, 0);
}

std::size_t chunk_sum(std::size_t elements, int parts, int first, int count) {
  return elements / parts * count + larger_chunks(elements, parts, first, count);
}

Stretch Schedule::stretch(int k, int) const {
  return {.rounds = 1, .sum = round(k)};
}

void add_send(Round& round, int peer, const Chunk& piece) {
  if (piece.elements > 0) round.sends.push_back({peer, piece.offset, piece.elements});
}

void add_receive(Round& round, int peer, const Chunk& piece, Action action) {
  if (piece.elements > 0) round.receives.push_back({peer, piece.offset, piece.elements, action});
}

}  // namespace tandem
