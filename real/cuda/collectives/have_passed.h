#pragma once

#include <memory>
#include <vector>

#include "real/cuda/engine.h"

namespace tandem::cuda {

/// Whether all have; forgets those that have. Throws as Event::has_passed().
inline bool have_passed(std::vector<std::shared_ptr<Event>>& events) {
  std::erase_if(events, [](const auto& event) { return event->has_passed(); });
  return events.empty();
}

}  // namespace tandem::cuda
