#include "real/mpi/error_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace tandem::mpi {

std::filesystem::path error_file(const std::filesystem::path& result) {
  return result.empty() ? result : std::filesystem::path(result.string() + ".error");
}

bool write_first(const std::filesystem::path& file, const std::string& line) {
  if (file.empty()) return true;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string temporary = fmt::format("{}.{}.{}", file.string(), host, getpid());
  std::ofstream(temporary) << line << '\n';
  // A link, unlike a rename, fails where the name is taken.
  const bool is_first = link(temporary.c_str(), file.c_str()) == 0 || errno != EEXIST;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  return is_first;
}

}  // namespace tandem::mpi
