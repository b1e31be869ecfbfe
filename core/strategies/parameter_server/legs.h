#pragma once

#include "core/comm/reactor.h"
#include "core/training/checkpoint/checkpoints.h"

namespace tandem {

/// What a server does in each leg of a training, as serve_legs() asks it.
class LegServer {
 public:
  virtual ~LegServer() = default;

  /// Puts in flight what the leg begins with. All that follows from it has to end once the workers
  /// have done the leg's iterations.
  virtual void begin_leg(const Leg& leg) = 0;
  /// At rest: visits what the next leg needs, whoever serves then.
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// Likewise, what counts only among the same members.
  virtual void visit_past(StateVisitor&) {}
};

/// Serves from the first leg to the last, all of whose operations are `reactor`'s: restores the
/// state where the run resumes, and saves it once nothing of a leg is in flight any more. Returns
/// the last leg, which may be empty.
Leg serve_legs(LegServer& server, Worker& worker, Reactor& reactor, Checkpoints& checkpoints,
               int iterations);

}  // namespace tandem
