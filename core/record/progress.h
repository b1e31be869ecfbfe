#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

namespace tandem {

/// How far a run has come.
struct Progress {
  int done = 0;
  int total = 0;
};

/// Tells another process how far this one has come: "done total" in a small file, renamed into
/// place, at most 5 times a second and at the end. A file that can't be written is no reason to end
/// a run: progress is lost, nothing else. An empty path writes nothing.
class ProgressFile {
 public:
  explicit ProgressFile(std::filesystem::path file) : file_(std::move(file)) {}

  void operator()(int done, int total);

  /// What was written last; nothing where there is no such file yet.
  static std::optional<Progress> read(const std::filesystem::path& file);

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path file_;
  std::optional<Clock::time_point> written_;
};

}  // namespace tandem
