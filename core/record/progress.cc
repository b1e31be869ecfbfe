#include "core/record/progress.h"

#include <fstream>

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

void ProgressFile::operator()(int done, int total) {
  if (file_.empty()) return;
  const Clock::time_point now = Clock::now();
  if (done < total && written_ && now - *written_ < kInterval) return;
  written_ = now;
  std::filesystem::path temporary = file_;
  temporary += ".new";
  std::ofstream(temporary) << done << ' ' << total << '\n';
  std::error_code ignored;
  std::filesystem::rename(temporary, file_, ignored);
}

std::optional<Progress> ProgressFile::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  Progress progress;
  if (!(in >> progress.done >> progress.total)) return std::nullopt;
  return progress;
}

}  // namespace tandem
