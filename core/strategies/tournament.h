#pragma once

#include <optional>

namespace tandem {

/// Rounds after which a tournament begins again: in them every two players meet once. N - 1, or N
/// where the number of players is odd.
int tournament_rounds(int players);

/// Whom `player` meets in `round` (any number of at least 0) of the round-robin tournament by the
/// circle method (Lucas, "Récréations mathématiques", 1883). Nobody where the number of players is
/// odd and this one sits out, once in tournament_rounds().
std::optional<int> tournament_partner(int players, int player, int round);

}  // namespace tandem
