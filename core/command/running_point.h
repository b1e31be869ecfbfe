#pragma once

#include <optional>
#include <string>

#include "core/base/new_lines.h"
#include "core/command/backend.h"
#include "core/command/process.h"
#include "core/record/progress.h"

namespace tandem {

/// One point of a sweep while its process runs.
class RunningPoint {
 public:
  /// Starts it; works in the folder of `files`. Throws InputError where it can't be started.
  RunningPoint(std::size_t index, const Scenario& point, const Backend& backend, PointFiles files);

  std::size_t index() const { return index_; }
  const PointFiles& files() const { return files_; }
  std::optional<Progress> progress() const { return ProgressFile::read(files_.progress()); }
  /// What it has to tell since the last call, a line each.
  std::vector<std::string> news() { return news_.read(); }
  /// Whether it has ended.
  bool has_ended() { return process_.poll().has_value(); }
  void ask_to_end() { process_.ask_to_end(); }
  /// Once it has ended: whether it left a result.
  bool succeeded();
  /// Once it has ended without one: why.
  SweepFailure failure();

 private:
  std::size_t index_;
  PointFiles files_;
  NewLines news_;
  Process process_;
};

}  // namespace tandem
