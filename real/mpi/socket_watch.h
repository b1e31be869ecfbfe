#pragma once

#include "core/base/seconds.h"
#include "real/mpi/descriptor.h"

namespace tandem::mpi {

/// Sleeps until something happens on a TCP connection of this process: bytes have come in, or there
/// is room again for some to leave. MPI makes such connections, between hosts, but has no call that
/// waits for them and leaves the core alone; short sleeps between two looks cost more than the
/// looks, and let a wire rest meanwhile. Keeps what waits in the system to leave by a connection
/// short, so that it has room only when a wire can take more. For one thread at a time,
/// but for wake().
class SocketWatch {
 public:
  enum class Reason { kSocket, kWoken, kTimeout };

  /// Throws RunError where the system has no more descriptors.
  SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  /// Until something happened on a connection since it was last asked, wake() is called, or
  /// `timeout`, which may be kForever, has passed. A wake() before the call counts too. Connections
  /// that are made later are found after a fifth of the time that they have been sought, at most.
  Reason wait(Seconds timeout);
  /// From any thread.
  void wake();

 private:
  void find_connections();

  Descriptor events_;  ///< an epoll, edge-triggered, of all connections found
  Descriptor bell_;    ///< an eventfd
  Seconds begin_;
  Seconds next_search_;
};

}  // namespace tandem::mpi
