#pragma once

#include <compare>

namespace tandem {

/// From whom to whom messages go.
struct Way {
  int source, destination;
  auto operator<=>(const Way&) const = default;
};

}  // namespace tandem
