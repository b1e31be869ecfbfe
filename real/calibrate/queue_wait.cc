#include "real/calibrate/queue_wait.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/median.h"
#include "real/calibrate/other_rank.h"
#include "real/mpi/descriptor.h"
#include "real/mpi/tcp_connections.h"
#include "real/paced/pacer.h"

namespace tandem::mpi {
namespace {

using Address = in_addr_t;

constexpr std::size_t kMostAddresses = 32;
constexpr Seconds kBetween = 1e-3;  ///< between two bytes
constexpr int kAtRest = 100;        ///< bytes then
constexpr int kPatience = 10'000;   ///< ms, for a byte

/// Where rank 1 is to be found: a port, how many addresses follow, and these.
using Invitation = std::span<std::int64_t>;

/// That others can reach it by.
std::vector<Address> own_addresses() {
  std::vector<Address> addresses;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return addresses;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    addresses.push_back(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
  }
  freeifaddrs(all);
  if (addresses.size() > kMostAddresses) addresses.resize(kMostAddresses);
  return addresses;
}

/// Of all TCP connections that this process has.
std::set<Address> peers() {
  std::set<Address> found;
  for (const int connection : tcp_connections()) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(connection, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET)
      found.insert(peer.sin_addr.s_addr);
  }
  return found;
}

sockaddr_in place(Address address, std::int64_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = address;
  place.sin_port = static_cast<in_port_t>(port);
  return place;
}

/// Whether one can be read, or has come to its end, in time.
bool awaits(int connection) {
  pollfd polled{connection, POLLIN, 0};
  return poll(&polled, 1, kPatience) == 1;
}

/// One byte there and back.
Seconds round_trip(int connection, const Alarm& alarm) {
  char byte = 0;
  const Seconds begin = alarm.now();
  if (::send(connection, &byte, 1, MSG_NOSIGNAL) != 1 || !awaits(connection) ||
      recv(connection, &byte, 1, 0) != 1)
    throw RunError("the other host does not answer beside MPI any more");
  return alarm.now() - begin;
}

Seconds rest_and_go(int connection, const Alarm& alarm) {
  alarm.sleep_until(alarm.now() + kBetween);
  return round_trip(connection, alarm);
}

/// What rank 0 sends and rank 1 receives, so that there is always something to send.
class Flood {
 public:
  explicit Flood(Worker& worker) : worker_(worker), bytes_(worker.allocate(kBytes, DType::kByte)) {}

  void run(int messages) {
    std::vector<Handle> under_way;
    for (int i = 0; i < messages; ++i) {
      under_way.push_back(worker_.group().rank == 0 ? worker_.send(1, 0, bytes_.view())
                                                    : worker_.receive(0, 0, bytes_.view()));
      if (under_way.size() < kAtOnce) continue;
      worker_.wait(under_way.front());
      under_way.erase(under_way.begin());
    }
    wait_all(worker_, under_way);
  }

 private:
  static constexpr std::size_t kBytes = 1UL << 20U, kAtOnce = 3;
  Worker& worker_;
  Buffer bytes_;
};

/// As many as fill the time.
int agree_on_messages(Worker& worker, Flood& flood, Seconds budget) {
  constexpr int kTrial = 4, kMost = 10'000;
  const Seconds begin = worker.now();
  flood.run(kTrial);
  const Seconds one = (worker.now() - begin) / kTrial;
  return static_cast<int>(
      agree_on(worker, std::clamp(static_cast<int>(budget / one), kTrial, kMost)));
}

Seconds as_rank_0(Worker& worker, const View& invitation, Seconds budget) {
  receive_from_other(worker, invitation);
  const Invitation numbers = invitation.numbers<std::int64_t>();
  const std::set<Address> there = peers();
  const auto addresses = numbers.subspan(2, numbers[1]);
  const auto address = std::ranges::find_if(
      addresses, [&](std::int64_t one) { return there.contains(static_cast<Address>(one)); });
  const Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  bool is_connected = false;
  if (address != addresses.end()) {
    const sockaddr_in to = place(static_cast<Address>(*address), numbers[0]);
    is_connected =
        connect(connection.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  numbers[0] = is_connected ? 1 : 0;
  send_to_other(worker, invitation);
  if (!is_connected) return 0;
  const int at_once = 1;
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);

  const Alarm alarm = system_alarm();
  std::vector<Seconds> at_rest, meanwhile;
  for (int i = 0; i < kAtRest; ++i) at_rest.push_back(rest_and_go(connection.get(), alarm));
  Flood flood(worker);
  const int messages = agree_on_messages(worker, flood, budget);
  std::atomic<bool> ends = false, is_broken = false;
  std::thread pings([&] {
    const Alarm own = system_alarm();
    try {
      while (!ends) meanwhile.push_back(rest_and_go(connection.get(), own));
    } catch (const RunError&) {
      is_broken = true;
    }
  });
  flood.run(messages);
  ends = true;
  pings.join();
  if (is_broken || meanwhile.empty())
    throw RunError("the other host does not answer beside MPI any more");
  return std::max(0.0, median(meanwhile) - median(at_rest));
}

/// Sends back what comes, until no more can.
void answer(int listening) {
  if (!awaits(listening)) return;
  const int connection = accept(listening, nullptr, nullptr);
  if (connection < 0) return;
  const int at_once = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  char byte = 0;
  while (awaits(connection) && recv(connection, &byte, 1, 0) == 1 &&
         ::send(connection, &byte, 1, MSG_NOSIGNAL) == 1) {
  }
  close(connection);
}

void as_rank_1(Worker& worker, const View& invitation, Seconds budget) {
  const Descriptor listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in own = place(htonl(INADDR_ANY), 0);
  socklen_t size = sizeof own;
  const bool listens = bind(listening.get(), reinterpret_cast<sockaddr*>(&own), size) == 0 &&
                       listen(listening.get(), 1) == 0 &&
                       getsockname(listening.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0;
  const Invitation numbers = invitation.numbers<std::int64_t>();
  const std::vector<Address> addresses = listens ? own_addresses() : std::vector<Address>();
  numbers[0] = own.sin_port;
  numbers[1] = static_cast<std::int64_t>(addresses.size());
  std::ranges::copy(addresses, numbers.begin() + 2);
  send_to_other(worker, invitation);
  receive_from_other(worker, invitation);
  if (numbers[0] == 0) return;
  std::thread answers([&] { answer(listening.get()); });
  Flood flood(worker);
  flood.run(agree_on_messages(worker, flood, budget));
  answers.join();
}

}  // namespace

Seconds measure_queue_wait(Worker& worker, Seconds budget) {
  if (worker.group().rank > 1) return 0;
  const Buffer invitation = worker.allocate(2 + kMostAddresses, DType::kInt64);
  if (worker.group().rank == 0) return as_rank_0(worker, invitation.view(), budget);
  as_rank_1(worker, invitation.view(), budget);
  return 0;
}

}  // namespace tandem::mpi
