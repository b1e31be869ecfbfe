#include "core/strategies/tournament.h"

namespace tandem {

int tournament_rounds(int players) {
  return players % 2 == 0 ? players - 1 : players;
}

// On a circle of an odd number of players, those meet whose numbers add up to the round's. Who
// would meet himself sits out, or meets the last player, who stands in the middle.
std::optional<int> tournament_partner(int players, int player, int round) {
  const int circle = tournament_rounds(players);
  const int sum = round % circle;
  const bool has_middle = circle < players;
  if (has_middle && player == circle) {
    return sum % 2 == 0 ? sum / 2 : (sum + circle) / 2;
  }
  const int partner = (sum + circle - player) % circle;
  if (partner != player) return partner;
  return has_middle ? std::optional(circle) : std::nullopt;
}

}  // namespace tandem
