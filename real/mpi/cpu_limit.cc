#include "real/mpi/cpu_limit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tandem::mpi {
namespace {

/// From "0::/PATH", relative; cgroup v1's lines begin with other numbers.
std::filesystem::path group_of(const std::string& own) {
  std::istringstream lines(own);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return line.substr(4);
  return {};
}

/// Of "QUOTA PERIOD", in microseconds; "max" is no quota.
std::optional<double> processors_of(const std::filesystem::path& group) {
  double quota = 0, period = 0;
  std::ifstream file(group / "cpu.max");
  if (!(file >> quota >> period) || !(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

std::optional<double> used_by(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.stat");
  std::string key;
  for (double number = 0; file >> key >> number;)
    if (key == "usage_usec") return 1e-6 * number;
  return std::nullopt;
}

std::string text_of(const char* file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

std::optional<CpuLimit> cpu_limit(const std::filesystem::path& groups, const std::string& own,
                                  double processors) {
  std::optional<CpuLimit> tightest;
  for (std::filesystem::path group = group_of(own);; group = group.parent_path()) {
    const std::filesystem::path folder = groups / group;
    const auto limit = processors_of(folder), used = used_by(folder);
    struct stat about {};
    if (limit && used && *limit < processors && stat(folder.c_str(), &about) == 0) {
      tightest = CpuLimit{.group = about.st_ino, .processors = *limit, .used = *used};
      processors = *limit;
    }
    if (group.empty()) return tightest;
  }
}

std::optional<CpuLimit> cpu_limit() {
  return cpu_limit("/sys/fs/cgroup", text_of("/proc/self/cgroup"),
                   static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace tandem::mpi
