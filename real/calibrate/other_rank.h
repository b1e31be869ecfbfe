#pragma once

#include "core/comm/worker.h"

namespace tandem::mpi {

/// Of two.
inline int other_rank(const Worker& worker) {
  return 1 - worker.group().rank;
}

/// Sends to the other of two ranks, and waits until that is done.
inline void send_to_other(Worker& worker, const View& view) {
  Handle sent = worker.send(other_rank(worker), 0, view);
  worker.wait(sent);
}

inline void receive_from_other(Worker& worker, const View& view) {
  Handle received = worker.receive(other_rank(worker), 0, view);
  worker.wait(received);
}

/// Both at once, `in` from the other's `out`.
void swap_with_other(Worker& worker, const View& out, const View& in);

/// The other of two ranks' number.
double swap_with_other(Worker& worker, double number);

/// Rank 0's, on both.
std::int64_t agree_on(Worker& worker, std::int64_t number);

}  // namespace tandem::mpi
