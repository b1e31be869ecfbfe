#include "real/calibrate/queue_wait.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/median.h"
#include "real/calibrate/echo.h"
#include "real/calibrate/other_rank.h"
#include "real/mpi/descriptor.h"
#include "real/mpi/tcp_connections.h"
#include "real/paced/pacer.h"

namespace tandem::mpi {
namespace {

using Address = in_addr_t;

constexpr std::size_t kMostAddresses = 32;
constexpr Seconds kBetween = 1e-3;                                ///< between two bytes
constexpr std::size_t kAtRest = 100, kMostMeanwhile = 100'000;    ///< bytes
constexpr Patience kPatienceToConnect(2'000), kPatience(10'000);  ///< the latter for a byte

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

/// What rank 0 sends and rank 1 receives, so that there is always something to send.
class Flood {
 public:
  explicit Flood(Worker& worker) : worker_(worker), bytes_(worker.allocate(kMost, DType::kByte)) {}

  /// To fill the time. A wire that takes all of it for a few large messages is sent smaller ones,
  /// which still are more than a connection has in its queue.
  void agree_on_amount(Seconds budget) {
    constexpr int kTrial = 4, kMostMessages = 10'000;
    bytes_each_ = kLeast;
    Seconds one = time(1);
    const bool is_fast = one * kTrial * kMost / kLeast < budget;
    if (agree_on(worker_, is_fast ? 1 : 0) == 1) {
      bytes_each_ = kMost;
      one = time(kTrial) / kTrial;
    }
    const double fitting = std::min<double>(budget / one, kMostMessages);
    messages_ = static_cast<int>(agree_on(worker_, std::max(kTrial, static_cast<int>(fitting))));
  }

  void run() { run(messages_); }

 private:
  static constexpr std::size_t kLeast = 1UL << 18U, kMost = 1UL << 20U, kAtOnce = 3;

  Seconds time(int messages) {
    const Seconds begin = worker_.now();
    run(messages);
    return worker_.now() - begin;
  }

  void run(int messages) {
    const View view = bytes_.view().slice(0, bytes_each_);
    std::vector<Handle> under_way;
    for (int i = 0; i < messages; ++i) {
      under_way.push_back(worker_.group().rank == 0 ? worker_.send(1, 0, view)
                                                    : worker_.receive(0, 0, view));
      if (under_way.size() < kAtOnce) continue;
      worker_.wait(under_way.front());
      under_way.erase(under_way.begin());
    }
    wait_all(worker_, under_way);
  }

  Worker& worker_;
  Buffer bytes_;
  std::size_t bytes_each_ = kMost;
  int messages_ = 0;
};

/// What bytes take there and back on a connection, one after the other. None where one did not come
/// back.
class Pings {
 public:
  explicit Pings(int connection) : connection_(connection) {}

  /// Until there are `most`, or `stop` asks for the end.
  void run(std::size_t most, const std::stop_token& stop) {
    const Alarm alarm = system_alarm();
    while (times_.size() < most && !stop.stop_requested()) {
      alarm.sleep_until(alarm.now() + kBetween);
      const auto time = round_trip(connection_, alarm, kPatience, stop);
      if (!time) {
        is_broken_ = !stop.stop_requested();
        return;
      }
      times_.push_back(*time);
    }
  }

  std::optional<Seconds> median() const {
    if (is_broken_ || times_.empty()) return std::nullopt;
    return tandem::median(times_);
  }

 private:
  int connection_;
  std::vector<Seconds> times_;
  bool is_broken_ = false;
};

/// Of rank 1's addresses, that which MPI is connected to; nobody's where there is none.
std::optional<Address> address_of_rank_1(const Invitation& invitation) {
  const std::set<Address> there = peers();
  for (const std::int64_t one : invitation.subspan(2, invitation[1]))
    if (there.contains(static_cast<Address>(one))) return static_cast<Address>(one);
  return std::nullopt;
}

std::optional<Seconds> wait_beside(Worker& worker, int connection, Seconds budget) {
  Flood flood(worker);
  flood.agree_on_amount(budget);
  Pings at_rest(connection), meanwhile(connection);
  at_rest.run(kAtRest, {});
  {
    const std::jthread pings(
        [&](const std::stop_token& stop) { meanwhile.run(kMostMeanwhile, stop); });
    flood.run();
  }
  agree_on(worker, 0);  // that no more pings come
  const auto rest = at_rest.median(), wait = meanwhile.median();
  if (!rest || !wait) return std::nullopt;
  return std::max(0.0, *wait - *rest);
}

std::optional<Seconds> as_rank_0(Worker& worker, const View& view, Seconds budget) {
  receive_from_other(worker, view);
  const Invitation invitation = view.numbers<std::int64_t>();
  const bool listens = invitation[0] != 0;
  const auto address = address_of_rank_1(invitation);
  const Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                              "socket");
  const bool is_connected =
      address &&
      connect_in_time(connection.get(), place(*address, invitation[0]), kPatienceToConnect);
  agree_on(worker, is_connected ? 1 : 0);
  if (is_connected) return wait_beside(worker, connection.get(), budget);
  if (!listens || address) return std::nullopt;
  return 0;
}

void as_rank_1(Worker& worker, const View& view, Seconds budget) {
  const Descriptor listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in own = place(htonl(INADDR_ANY), 0);
  socklen_t size = sizeof own;
  const bool listens = bind(listening.get(), reinterpret_cast<sockaddr*>(&own), size) == 0 &&
                       listen(listening.get(), 1) == 0 &&
                       getsockname(listening.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0;
  const Invitation invitation = view.numbers<std::int64_t>();
  const std::vector<Address> addresses = listens ? own_addresses() : std::vector<Address>();
  invitation[0] = listens ? own.sin_port : 0;
  invitation[1] = static_cast<std::int64_t>(addresses.size());
  std::ranges::copy(addresses, invitation.begin() + 2);
  send_to_other(worker, view);
  if (agree_on(worker, 0) == 0) return;
  Flood flood(worker);
  flood.agree_on_amount(budget);
  const std::jthread answers([&](const std::stop_token& stop) { answer(listening.get(), stop); });
  flood.run();
  agree_on(worker, 0);
}

}  // namespace

std::optional<Seconds> measure_queue_wait(Worker& worker, Seconds budget) {
  if (worker.group().rank > 1) return std::nullopt;
  const Buffer invitation = worker.allocate(2 + kMostAddresses, DType::kInt64);
  if (worker.group().rank == 0) return as_rank_0(worker, invitation.view(), budget);
  as_rank_1(worker, invitation.view(), budget);
  return std::nullopt;
}

}  // namespace tandem::mpi
