#include "real/mpi/machine.h"

#include <mpi.h>
#include <unistd.h>

#include <fstream>

#include "real/mpi/check.h"

namespace tandem::mpi {
namespace {

/// A line of /proc/self/status, in bytes.
std::uint64_t memory_status(const std::string& key) {
  constexpr std::uint64_t kKibibyte = 1024;  // Linux counts in these
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * kKibibyte;
  }
  return 0;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const std::string full = name;
  return full.substr(0, full.find('.'));
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string machine() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.empty() ? "unknown" : id;
}

std::uint64_t begin_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets VmHWM
  return memory_status("VmRSS:");
}

std::uint64_t peak_memory_bytes() {
  return memory_status("VmHWM:");
}

// proc(5): a line with a mapping's addresses, then lines about it.
std::uint64_t mapped_bytes(const std::byte* data, std::size_t bytes) {
  constexpr std::uint64_t kKibibyte = 1024;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  std::ifstream file("/proc/self/smaps");
  std::uint64_t mapped = 0;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find('-');
    if (dash != std::string::npos && dash < line.find(' ')) {
      const std::uintptr_t first = std::stoull(line, nullptr, 16);
      is_inside = first >= begin && first < begin + bytes;
    } else if (is_inside && line.starts_with("Rss:")) {
      mapped += std::stoull(line.substr(4)) * kKibibyte;
    }
  }
  return mapped;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string version(text, length);
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace tandem::mpi
