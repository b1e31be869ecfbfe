#include "real/mpi/tcp_streams.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "core/network/segments.h"
#include "real/mpi/tcp_connections.h"

namespace tandem::mpi {

// No train is longer than the kernel's GSO_LEGACY_MAX_SIZE.
std::size_t train_bytes() {
  constexpr std::size_t kLongest = 65'536;
  std::size_t limit = 0;
  std::ifstream file("/proc/sys/net/ipv4/tcp_limit_output_bytes");
  file >> limit;
  return limit > 0 ? whole_segments(std::min(limit / 2, kLongest)) : 0;
}

std::size_t window_bytes() {
  std::uint64_t most = 0;
  std::size_t window = 0;
  for (const int connection : tcp_connections()) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    if (info.tcpi_bytes_sent <= most) continue;
    most = info.tcpi_bytes_sent;
    window = info.tcpi_snd_wnd;  // stays 0 where the kernel has less to say
  }
  return window;
}

}  // namespace tandem::mpi
