// The connection beside MPI's that a calibration makes.

#include "real/calibrate/echo.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <thread>
#include <vector>

#include "real/mpi/descriptor.h"

namespace tandem::mpi {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

/// Of this host.
struct Listening {
  explicit Listening(int backlog) {
    socklen_t size = sizeof place;
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
    EXPECT_EQ(listen(socket.get(), backlog), 0);
    EXPECT_EQ(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
  }

  Descriptor socket{::socket(AF_INET, SOCK_STREAM, 0), "socket"};
  sockaddr_in place{};
};

struct Connecting {
  Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket"};
};

TEST(Echo, ComesBackUntilTheConnectionEnds) {
  const Listening there(1);
  const std::jthread answers(
      [&](const std::stop_token& stop) { answer(there.socket.get(), stop); });
  const Connecting here;
  ASSERT_TRUE(connect_in_time(here.socket.get(), there.place, 10s));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(round_trip(here.socket.get(), system_alarm(), 10s, {}));
}

// What asks for a connection is dropped where a firewall does so, and where as many wait to be
// accepted as may.
TEST(Echo, GivesUpOnAConnectionThatIsNotAnswered) {
  const Listening there(0);
  std::vector<std::unique_ptr<Connecting>> waiting;
  const auto is_made = [&] {
    waiting.push_back(std::make_unique<Connecting>());
    return connect_in_time(waiting.back()->socket.get(), there.place, 200ms);
  };
  const auto begin = SteadyClock::now();
  while (is_made()) ASSERT_LT(waiting.size(), 10);
  EXPECT_LT(SteadyClock::now() - begin, 20s);
}

TEST(Echo, GivesUpOnAConnectionThatIsRefused) {
  sockaddr_in nobody{};
  {
    const Listening there(1);
    nobody = there.place;
  }
  const Connecting here;
  EXPECT_FALSE(connect_in_time(here.socket.get(), nobody, 10s));
}

TEST(Echo, GivesUpOnAByteThatDoesNotComeBack) {
  const Listening there(1);  // the system takes the connection, and nobody answers
  const Connecting here;
  ASSERT_TRUE(connect_in_time(here.socket.get(), there.place, 10s));
  EXPECT_FALSE(round_trip(here.socket.get(), system_alarm(), 50ms, {}));
  std::jthread stopped([&](const std::stop_token& stop) {
    EXPECT_FALSE(round_trip(here.socket.get(), system_alarm(), 1h, stop));
  });
  stopped.request_stop();
}

TEST(Echo, IsStoppedWhileNobodyConnectsAndWhileNothingComes) {
  const Listening there(1);
  {
    const std::jthread alone(
        [&](const std::stop_token& stop) { answer(there.socket.get(), stop); });
  }
  const std::jthread answers(
      [&](const std::stop_token& stop) { answer(there.socket.get(), stop); });
  const Connecting here;
  ASSERT_TRUE(connect_in_time(here.socket.get(), there.place, 10s));
  EXPECT_TRUE(round_trip(here.socket.get(), system_alarm(), 10s, {}));
}

}  // namespace
}  // namespace tandem::mpi
