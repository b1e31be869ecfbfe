#include "real/calibrate/echo.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "real/mpi/descriptor.h"

namespace tandem::mpi {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Waits until one can be read from or written to, or has come to its end. Whether that was in time
/// and before `stop` asked for the end.
bool awaits(int descriptor, short what, SteadyClock::time_point until,
            const std::stop_token& stop) {
  constexpr Patience kLook = Patience(100);  // for whether to stop
  while (!stop.stop_requested()) {
    const auto left = std::chrono::ceil<Patience>(until - SteadyClock::now());
    if (left.count() <= 0) return false;
    pollfd polled{descriptor, what, 0};
    const int ready = poll(&polled, 1, static_cast<int>(std::min(left, kLook).count()));
    if (ready == 1) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

void send_at_once(int connection) {
  const int at_once = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

// Past any clock's, without running over in what is left until then.
constexpr SteadyClock::time_point kHoweverLate = SteadyClock::time_point::max();

}  // namespace

bool connect_in_time(int socket, const sockaddr_in& to, Patience patience) {
  const SteadyClock::time_point until = SteadyClock::now() + patience;
  if (connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    if (errno != EINPROGRESS || !awaits(socket, POLLOUT, until, {})) return false;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return false;
  }
  send_at_once(socket);
  return true;
}

void answer(int listening, const std::stop_token& stop) {
  if (!awaits(listening, POLLIN, kHoweverLate, stop)) return;
  const int accepted = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (accepted < 0) return;
  const Descriptor connection(accepted, "accept");
  send_at_once(connection.get());
  char byte = 0;
  while (awaits(connection.get(), POLLIN, kHoweverLate, stop) &&
         recv(connection.get(), &byte, 1, 0) == 1 &&
         send(connection.get(), &byte, 1, MSG_NOSIGNAL) == 1)
    continue;
}

std::optional<Seconds> round_trip(int connection, const Alarm& alarm, Patience patience,
                                  const std::stop_token& stop) {
  char byte = 0;
  const SteadyClock::time_point until = SteadyClock::now() + patience;
  const Seconds begin = alarm.now();
  if (send(connection, &byte, 1, MSG_NOSIGNAL) != 1 || !awaits(connection, POLLIN, until, stop) ||
      recv(connection, &byte, 1, 0) != 1)
    return std::nullopt;
  return alarm.now() - begin;
}

}  // namespace tandem::mpi
