#include "real/mpi/tcp_streams.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <fstream>

#include "real/mpi/tcp_connections.h"

namespace tandem::mpi {

// Segments of Ethernet's usual size, in what is left of gso_max_size beside MAX_TCP_HEADER (Linux's
// sk_setup_caps()).
std::size_t train_bytes() {
  constexpr std::size_t kSegment = 1448, kHeaders = 321;
  std::size_t limit = 0;
  std::ifstream file("/proc/sys/net/ipv4/tcp_limit_output_bytes");
  file >> limit;
  return limit / 2 > kHeaders ? (limit / 2 - kHeaders) / kSegment * kSegment : limit / 2;
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
