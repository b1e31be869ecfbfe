#pragma once

#include <functional>

#include "core/comm/worker.h"

namespace tandem {

/// Runs a job in this process, one thread a rank: the plainest backend, for tests and as the
/// reference of the seam's behaviour. Sends are copied at once, so they never wait for their
/// receiver. A member that ends, in whichever way, is lost to those that still wait for a message
/// from it. Returns when all members have ended; then rethrows the exception of the lowest rank
/// that ended with one, preferring any other to a PeerLost, which is only the echo of another
/// member's end. Throws RunError where all ended without one, but a message is left over.
/// `patience` is every member's, to begin with.
void run_loopback(int ranks, const std::function<void(Worker&)>& member,
                  Seconds patience = kForever);

}  // namespace tandem
