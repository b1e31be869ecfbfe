#include "real/mpi/tcp_connections.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>

namespace tandem::mpi {
namespace {

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

std::vector<int> tcp_connections() {
  namespace fs = std::filesystem;
  std::vector<int> found;
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/fd", error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const int descriptor = std::atoi(entry->path().filename().c_str());
    if (is_tcp_connection(descriptor)) found.push_back(descriptor);
  }
  return found;
}

}  // namespace tandem::mpi
