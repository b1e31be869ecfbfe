#pragma once

#include <netinet/in.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "core/faults/arrivals.h"
#include "real/lab/lab.h"

namespace tandem::lab {

/// One TCP connection of others' from a host of a lab to another, which carries what it is given
/// until the object ends. While no packet gets there it tries again. Throws RunError where no
/// sockets are left, or a host is not there.
class Connection {
 public:
  /// Sends as fast as it gets through, or at most `rate` bytes/s where that is above 0.
  Connection(const Lab& lab, int source, int destination, double rate);
  /// Sends messages of `bytes` when they are due, counted from `began`, in seconds since 1970; one
  /// that is due before the last is through waits for it.
  Connection(const Lab& lab, int source, int destination, double bytes, Arrivals arrivals,
             Seconds began);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Throws RunError where it ended by itself: what it should carry is not there then.
  void require() const;

 private:
  using Send = std::function<bool(int socket)>;

  Connection(const Lab& lab, int source, int destination, double message_bytes, const Send& send);

  void take(int listener, double message_bytes);
  /// These and the next say whether all could be done; where not, errno says why.
  bool connect_to(const sockaddr_in& address) const;
  bool send_bytes(int socket, double bytes) const;
  bool send_messages(int socket, double bytes, Arrivals arrivals, Seconds began) const;
  /// Until then, in seconds since 1970, or the object's end.
  void sleep_until(Seconds time) const;

  const std::string hosts_;  ///< "h1 to h2"
  std::atomic<bool> ends_ = false;
  std::atomic<int> failure_ = 0;  ///< of the sender, as errno
  int listener_ = -1, sender_ = -1;
  std::atomic<int> receiver_ = -1;
  std::jthread takes_, sends_;  // last: they use the others
};

}  // namespace tandem::lab
