#include "real/lab/traffic.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/record/journal.h"
#include "real/lab/namespaces.h"
#include "real/lab/wiring.h"

namespace tandem::lab {
namespace {

constexpr std::size_t kPiece = 1 << 18;  // bytes handed to the kernel at once

sockaddr_in address_of(int host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, address_text(host).c_str(), &address.sin_addr);
  return address;
}

/// A namespace is a thread's: a socket stays in that of the one which makes it.
int socket_on(const Lab& lab, int host) {
  int made = -1, reason = 0;
  std::thread([&] {
    if (enter_network(namespace_of(lab.name, host_name(host))))
      made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    reason = errno;
  }).join();
  if (made < 0)
    throw RunError(fmt::format("faults.traffic: no socket on host {}: {}", host_name(host),
                               std::strerror(reason)));
  return made;
}

void close_all(std::initializer_list<int> sockets) {
  for (const int each : sockets)
    if (each >= 0) close(each);
}

}  // namespace

Connection::Connection(const Lab& lab, int source, int destination, double rate)
    : Connection(lab, source, destination, 0, [this, rate](int socket) {
        const auto pace =
            static_cast<unsigned>(std::min<double>(rate, std::numeric_limits<unsigned>::max()));
        if (rate > 0) setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof pace);
        return send_bytes(socket, std::numeric_limits<double>::infinity());
      }) {}

Connection::Connection(const Lab& lab, int source, int destination, double bytes, Arrivals arrivals,
                       Seconds began)
    : Connection(lab, source, destination, bytes,
                 [=, this](int socket) { return send_messages(socket, bytes, arrivals, began); }) {}

Connection::Connection(const Lab& lab, int source, int destination, double message_bytes,
                       const Send& send)
    : hosts_(host_name(source) + " to " + host_name(destination)),
      listener_(socket_on(lab, destination)) {
  try {
    sender_ = socket_on(lab, source);
  } catch (const RunError&) {
    close(listener_);
    throw;
  }
  sockaddr_in address = address_of(destination);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, length) != 0 || listen(listener_, 1) != 0 ||
      getsockname(listener_, generic, &length) != 0) {
    const int reason = errno;
    close_all({listener_, sender_});
    throw RunError(
        fmt::format("faults.traffic: can't open a connection: {}", std::strerror(reason)));
  }
  takes_ = std::jthread([this, message_bytes] { take(listener_, message_bytes); });
  sends_ = std::jthread([this, address, send] {
    if (!(connect_to(address) && send(sender_)) && !ends_) failure_ = errno;
  });
}

Connection::~Connection() {
  ends_ = true;
  for (const int each : {listener_, sender_, receiver_.load()})
    if (each >= 0) shutdown(each, SHUT_RDWR);  // wakes the threads
  if (sends_.joinable()) sends_.join();
  if (takes_.joinable()) takes_.join();
  close_all({listener_, sender_, receiver_});
}

void Connection::require() const {
  if (failure_ != 0)
    throw RunError(fmt::format("faults.traffic: the connection from {} ended: {}", hosts_,
                               std::strerror(failure_)));
}

// A host may be cut off meanwhile.
bool Connection::connect_to(const sockaddr_in& address) const {
  const auto* const there = reinterpret_cast<const sockaddr*>(&address);
  while (connect(sender_, there, sizeof address) != 0) {
    if (ends_ || (errno != EHOSTUNREACH && errno != ETIMEDOUT)) return false;
    sleep_until(time_since_1970() + 0.1);
    if (ends_) return false;  // to connect would undo the shutdown() that is to wake this thread
  }
  return true;
}

// The kernel throws away what comes; whole messages are acknowledged.
void Connection::take(int listener, double message_bytes) {
  receiver_ = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (ends_ && receiver_ >= 0) shutdown(receiver_, SHUT_RDWR);
  double left = message_bytes;
  while (true) {
    const ssize_t got = recv(receiver_, nullptr, kPiece, MSG_TRUNC);
    if (got <= 0) return;
    if (message_bytes <= 0) continue;
    for (left -= static_cast<double>(got); left <= 0; left += message_bytes)
      if (send(receiver_, "", 1, MSG_NOSIGNAL) != 1) return;
  }
}

bool Connection::send_bytes(int socket, double bytes) const {
  static constexpr std::array<char, kPiece> kNothing{};
  while (bytes > 0 && !ends_) {
    const auto piece = static_cast<std::size_t>(std::min<double>(bytes, kPiece));
    const ssize_t sent =
        send(socket, kNothing.data(), std::max<std::size_t>(piece, 1), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes -= static_cast<double>(sent);
  }
  return !ends_;
}

bool Connection::send_messages(int socket, double bytes, Arrivals arrivals, Seconds began) const {
  while (!ends_) {
    sleep_until(began + arrivals.next());
    if (!send_bytes(socket, bytes)) return false;
    char acknowledged = 0;
    errno = ECONNRESET;  // where the other end has closed
    if (recv(socket, &acknowledged, 1, 0) != 1) return false;
  }
  return true;
}

void Connection::sleep_until(Seconds time) const {
  constexpr Seconds kLongest = 0.02;
  for (Seconds left = 1; !ends_ && left > 0;) {
    left = time - time_since_1970();
    if (left > 0)
      std::this_thread::sleep_for(std::chrono::duration<Seconds>(std::min(left, kLongest)));
  }
}

}  // namespace tandem::lab
