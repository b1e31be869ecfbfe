#include "core/collectives/schedule.h"

#include <algorithm>

namespace tandem {

Chunk chunk(std::size_t elements, int parts, int k) {
  const std::size_t quotient = elements / parts;
  const std::size_t remainder = elements % parts;
  const std::size_t index = static_cast<std::size_t>(k);
  return {index * quotient + std::min(index, remainder), quotient + (index < remainder ? 1 : 0)};
}

}  // namespace tandem
