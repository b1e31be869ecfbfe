#include "core/strategies/parameter_server/iteration_clock.h"

#include <optional>

#include "core/record/recorder.h"

namespace tandem {

IterationClock::IterationClock(Worker& worker, int iterations, long total)
    : worker_(worker), iterations_(iterations), total_(total) {
  worker_.record().begin_iteration(worker_.now());
  end_reached();
}

void IterationClock::tick() {
  ++done_;
  end_reached();
}

void IterationClock::end_reached() {
  while (ended_ < iterations_ && done_ * iterations_ >= (ended_ + 1) * total_) {
    worker_.record().end_iteration(worker_.now(), std::nullopt);
    if (++ended_ < iterations_) worker_.record().begin_iteration(worker_.now());
  }
}

}  // namespace tandem
