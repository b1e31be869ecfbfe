#include "real/mpi/socket_watch.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>
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
    close_near();
    close_far();
  }
  void close_near() { close(std::exchange(near_, -1)); }
  void close_far() { close(std::exchange(far_, -1)); }
  int near() const { return near_; }
  int far() const { return far_; }

 private:
  int near_ = -1, far_ = -1;
};

/// Until the watch has sought connections, and nothing that happened before is left to be told.
void settle(SocketWatch& watch) {
  watch.wait(2e-3);
  while (watch.wait(50e-3) != Reason::kTimeout) continue;
}

TEST(SocketWatch, WakesWhenBytesComeIn) {
  const Connection connection;
  SocketWatch watch;
  settle(watch);
  EXPECT_EQ(write(connection.far(), "x", 1), 1);
  EXPECT_EQ(watch.wait(kLong), Reason::kSocket);
  EXPECT_EQ(watch.wait(0), Reason::kTimeout) << "once for each time";
}

// The other end is another process's, so that nothing but the room can be told.
TEST(SocketWatch, WakesWhenThereIsRoomAgain) {
  Connection connection;
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t reader = fork();
  if (reader == 0) {
    char taken[65536];
    connection.close_near();
    if (read(go[0], taken, 1) != 1) _exit(1);
    while (recv(connection.far(), taken, sizeof taken, 0) > 0) continue;
    _exit(0);
  }
  connection.close_far();
  SocketWatch watch;
  settle(watch);
  const std::vector<char> bytes(1 << 20);
  do {  // as long as the kernel still finds room
    while (send(connection.near(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
  } while (watch.wait(50e-3) == Reason::kSocket);
  EXPECT_EQ(write(go[1], "x", 1), 1);
  EXPECT_EQ(watch.wait(kLong), Reason::kSocket);
  connection.close_near();
  int status = 0;
  EXPECT_EQ(waitpid(reader, &status, 0), reader);
  EXPECT_EQ(status, 0);
  close(go[0]);
  close(go[1]);
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
  backoff.happened();
  EXPECT_EQ(backoff.pause(1), 0);
  EXPECT_EQ(backoff.pause(1 + 50e-6), 0);
  EXPECT_NEAR(backoff.pause(1 + 3.2e-3), 1e-4, 1e-12);
  backoff.woke(1 + 3.2e-3, true);
  backoff.completed();
  backoff.happened();
  EXPECT_EQ(backoff.pause(2), 0);
  EXPECT_NEAR(backoff.pause(2 + 1e-3), 5e-4, 1e-12);
  backoff.woke(2 + 1e-3, false);
  backoff.completed();
  backoff.happened();
  EXPECT_EQ(backoff.pause(3), 0);
  EXPECT_NEAR(backoff.pause(3 + 3.2e-3), 1e-4, 1e-12) << "found by looking, not by being told";
}

TEST(Backoff, LooksForShortWhenWokenInALongWait) {
  constexpr Seconds kMoment = 1e-6;
  const Seconds early = 1 + 0.8 * Backoff::kLongWait, late = 1 + 1.2 * Backoff::kLongWait;
  Backoff backoff(true);
  backoff.happened();
  EXPECT_EQ(backoff.pause(1), 0);
  backoff.woke(early, true);
  EXPECT_EQ(backoff.pause(early + Backoff::kSpinWhenWoken - kMoment), 0);
  EXPECT_GT(backoff.pause(early + Backoff::kSpinWhenWoken + kMoment), 0);
  backoff.woke(late, false);
  EXPECT_GT(backoff.pause(late), 0) << "by nothing that has come";
  backoff.woke(late, true);
  EXPECT_EQ(backoff.pause(late + Backoff::kSpinInLongWait - kMoment), 0);
  EXPECT_GT(backoff.pause(late + Backoff::kSpinInLongWait + kMoment), 0);
  backoff.completed();
  backoff.happened();
  EXPECT_EQ(backoff.pause(2), 0);
  backoff.woke(2 + 1e-3, true);
  EXPECT_EQ(backoff.pause(2 + 1e-3 + Backoff::kSpinWhenWoken - kMoment), 0) << "a new wait";
}

TEST(Backoff, KeepsToLookingForLongAsALongWaitBegins) {
  Backoff backoff(true);
  backoff.happened();
  EXPECT_EQ(backoff.pause(1), 0);
  const Seconds end = 1 + Backoff::kLongWait;
  backoff.woke(end - 10e-6, true);
  backoff.woke(end + 10e-6, true);
  EXPECT_EQ(backoff.pause(end + Backoff::kSpinWhenWoken - 20e-6), 0);
}

TEST(Backoff, TrustsNoConnectionWhereMessagesTakeOtherWaysToo) {
  Backoff backoff(false);
  backoff.happened();
  EXPECT_EQ(backoff.pause(1), 0);
  backoff.woke(1 + 1e-3, true);
  backoff.completed();
  backoff.happened();
  EXPECT_EQ(backoff.pause(2), 0);
  EXPECT_NEAR(backoff.pause(2 + 3.2e-3), 1e-4, 1e-12);
}

}  // namespace
}  // namespace tandem::mpi
