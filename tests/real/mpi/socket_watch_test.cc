#include "real/mpi/socket_watch.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "real/mpi/backoff.h"

namespace tandem::mpi {
namespace {

constexpr Seconds kLong = 20;  ///< that no test waits for
using Reason = SocketWatch::Reason;

/// Two ends of a TCP connection inside this process.
class Connection {
 public:
  Connection() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener, any, size), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, any, &size), 0);
    near_ = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(near_, any, size), 0);
    far_ = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~Connection() {
    close(near_);
    close(far_);
  }
  int near() const { return near_; }
  int far() const { return far_; }

 private:
  int near_ = -1, far_ = -1;
};

/// Until nothing that happened before is left to be told.
void settle(SocketWatch& watch) {
  while (watch.wait(50e-3) != Reason::kTimeout) continue;
}

TEST(SocketWatch, WakesWhenBytesComeIn) {
  const Connection connection;
  SocketWatch watch;
  settle(watch);
  EXPECT_EQ(write(connection.far(), "x", 1), 1);
  EXPECT_EQ(watch.wait(kLong), Reason::kSocket);
  EXPECT_EQ(watch.wait(kLong), Reason::kSocket) << "as long as nobody has read them";
  char byte = 0;
  EXPECT_EQ(read(connection.near(), &byte, 1), 1);
  EXPECT_EQ(watch.wait(0), Reason::kTimeout);
}

TEST(SocketWatch, WakesWhenThereIsRoomAgain) {
  const Connection connection;
  SocketWatch watch;
  settle(watch);
  const std::vector<char> bytes(1 << 20);
  while (send(connection.near(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
  std::vector<char> taken(bytes.size());
  const std::jthread reader([&] {
    while (recv(connection.far(), taken.data(), taken.size(), 0) > 0) continue;
  });
  Reason reason = watch.wait(kLong);  // perhaps for bytes that have come in at the other end
  while (send(connection.near(), bytes.data(), 1, MSG_DONTWAIT) != 1) reason = watch.wait(kLong);
  EXPECT_EQ(reason, Reason::kSocket);
  shutdown(connection.near(), SHUT_RDWR);
}

TEST(SocketWatch, FindsConnectionsThatWereMadeSince) {
  SocketWatch watch;
  settle(watch);
  const Connection connection;
  EXPECT_EQ(write(connection.far(), "x", 1), 1);
  Reason reason = watch.wait(10e-3);
  for (int i = 0; i < 1000 && reason == Reason::kTimeout; ++i) reason = watch.wait(10e-3);
  EXPECT_EQ(reason, Reason::kSocket);
}

TEST(SocketWatch, IsWokenAlsoByACallThatCameFirst) {
  SocketWatch watch;
  watch.wake();
  EXPECT_EQ(watch.wait(kForever), Reason::kWoken);
  EXPECT_EQ(watch.wait(0), Reason::kTimeout);
  const std::jthread other([&] { watch.wake(); });
  EXPECT_EQ(watch.wait(kForever), Reason::kWoken);
}

TEST(Backoff, SleepsLongerOnceTheConnectionsHaveWokenForWhatCompleted) {
  Backoff backoff(true);
  backoff.happened(1);
  EXPECT_EQ(backoff.pause(1 + 50e-6), 0);
  EXPECT_NEAR(backoff.pause(1 + 3.2e-3), 1e-4, 1e-12);
  backoff.woke(1 + 3.2e-3, true);
  backoff.completed();
  backoff.happened(2);
  EXPECT_NEAR(backoff.pause(2 + 1e-3), 5e-4, 1e-12);
  backoff.woke(2 + 1e-3, false);
  backoff.completed();
  backoff.happened(3);
  EXPECT_NEAR(backoff.pause(3 + 3.2e-3), 1e-4, 1e-12) << "found by looking, not by being told";
}

TEST(Backoff, TrustsNoConnectionWhereMessagesTakeOtherWaysToo) {
  Backoff backoff(false);
  backoff.happened(1);
  backoff.woke(1 + 1e-3, true);
  backoff.completed();
  backoff.happened(2);
  EXPECT_NEAR(backoff.pause(2 + 3.2e-3), 1e-4, 1e-12);
}

}  // namespace
}  // namespace tandem::mpi
