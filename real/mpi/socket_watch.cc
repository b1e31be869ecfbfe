#include "real/mpi/socket_watch.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "real/mpi/tcp_connections.h"

namespace tandem::mpi {
namespace {

constexpr Seconds kFirstSearch = 1e-3;
constexpr double kSearchShare = 0.2;

Seconds now() {
  return std::chrono::duration<Seconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::optional<timespec> to_timespec(Seconds time) {
  if (time == kForever) return std::nullopt;
  const double whole = std::floor(time);
  return timespec{static_cast<time_t>(whole), static_cast<long>((time - whole) * 1e9)};
}

// The system takes in megabytes that are still to leave. A clearance for a message the other way
// would wait behind them: a third of a second at 100 Mbit/s.
void keep_queue_short(int connection) {
  constexpr int kUnsentBytes = 256 << 10;
  setsockopt(connection, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof kUnsentBytes);
}

}  // namespace

SocketWatch::SocketWatch()
    : events_(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"),
      begin_(now()),
      next_search_(begin_ + kFirstSearch) {}

// A connection that is known already is refused, and one that was closed has left by itself.
void SocketWatch::find_connections() {
  for (const int connection : tcp_connections()) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, connection, &event) == 0)
      keep_queue_short(connection);
  }
}

SocketWatch::Reason SocketWatch::wait(Seconds timeout) {
  if (const Seconds time = now(); time >= next_search_) {
    find_connections();
    next_search_ = time + std::max(kFirstSearch, kSearchShare * (time - begin_));
  }
  pollfd polled[] = {{bell_.get(), POLLIN, 0}, {events_.get(), POLLIN, 0}};
  const std::optional<timespec> time = to_timespec(timeout);
  if (ppoll(polled, std::size(polled), time ? &*time : nullptr, nullptr) <= 0) {
    return Reason::kTimeout;
  }
  if (polled[1].revents != 0) {
    epoll_event ignored[16];
    epoll_wait(events_.get(), ignored, std::size(ignored), 0);
  }
  if (polled[0].revents == 0) return Reason::kSocket;
  eventfd_t rung = 0;
  eventfd_read(bell_.get(), &rung);
  return Reason::kWoken;
}

void SocketWatch::wake() {
  eventfd_write(bell_.get(), 1);
}

}  // namespace tandem::mpi
