#include "real/mpi/socket_watch.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"

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

int checked(int descriptor, const char* call) {
  if (descriptor >= 0) return descriptor;
  throw RunError(std::string(call) + ": " + std::strerror(errno));
}

bool is_tcp_connection(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return false;
  sockaddr_storage peer{};
  socklen_t peer_size = sizeof peer;
  return type == SOCK_STREAM &&
         getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 &&
         (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

}  // namespace

SocketWatch::SocketWatch()
    : in_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      room_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      bell_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      begin_(now()),
      next_search_(begin_ + kFirstSearch) {}

SocketWatch::~SocketWatch() {
  close(in_);
  close(room_);
  close(bell_);
}

// A connection that is known already is refused, and one that was closed has left by itself.
void SocketWatch::find_connections() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (!is_tcp_connection(descriptor)) continue;
    epoll_event in{}, room{};
    in.events = EPOLLIN;
    room.events = EPOLLOUT | EPOLLET;
    epoll_ctl(in_, EPOLL_CTL_ADD, descriptor, &in);
    epoll_ctl(room_, EPOLL_CTL_ADD, descriptor, &room);
  }
}

SocketWatch::Reason SocketWatch::wait(Seconds timeout) {
  if (const Seconds time = now(); time >= next_search_) {
    find_connections();
    next_search_ = time + std::max(kFirstSearch, kSearchShare * (time - begin_));
  }
  pollfd polled[] = {{bell_, POLLIN, 0}, {room_, POLLIN, 0}, {in_, POLLIN, 0}};
  const std::optional<timespec> time = to_timespec(timeout);
  if (ppoll(polled, std::size(polled), time ? &*time : nullptr, nullptr) <= 0) {
    return Reason::kTimeout;
  }
  if (polled[1].revents != 0) {
    epoll_event ignored[16];
    epoll_wait(room_, ignored, std::size(ignored), 0);
  }
  if (polled[0].revents == 0) return Reason::kSocket;
  eventfd_t rung = 0;
  eventfd_read(bell_, &rung);
  return Reason::kWoken;
}

void SocketWatch::wake() {
  eventfd_write(bell_, 1);
}

}  // namespace tandem::mpi
