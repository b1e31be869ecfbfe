#include "core/strategies/parameter_server/legs.h"

#include "core/comm/wait_for_first.h"

namespace tandem {

Leg serve_legs(LegServer& server, Worker& worker, Reactor& reactor, Checkpoints& checkpoints,
               int iterations) {
  checkpoints.restore([&](StateVisitor& visitor) {
    server.visit_state(visitor);
    if (checkpoints.has_own_past()) server.visit_past(visitor);
  });
  const auto visit = [&](StateVisitor& visitor) {
    server.visit_state(visitor);
    server.visit_past(visitor);
  };
  Leg leg{.end = checkpoints.first_iteration()};
  do {
    leg = checkpoints.leg_after(leg.end);
    if (leg.iterations() > 0) server.begin_leg(leg);
    reactor.run();
    if (!leg.rests) continue;
    Handle told = checkpoints.save(leg.end, visit);
    worker.wait(told);
    wait_for_first(worker, worker.group().size);
  } while (leg.end < iterations);
  return leg;
}

}  // namespace tandem
