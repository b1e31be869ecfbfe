#include "sim/faults/at_times.h"

namespace tandem {

void at_times(const Engine& engine, const FaultWindow& window, const std::function<void()>& begin,
              const std::function<void()>& end) {
  const auto body = [=] {
    if (window.from > 0) simgrid::s4u::this_actor::sleep_until(window.from);
    begin();
    if (window.until == kForever) return;
    simgrid::s4u::this_actor::sleep_until(window.until);
    end();
  };
  simgrid_compat::add_actor("fault", engine.hosts().front(), body)->daemonize();
}

}  // namespace tandem
