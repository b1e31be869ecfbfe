#pragma once

#include <chrono>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "core/command/process.h"

namespace tandem::elastic {

/// Asks hosts whether a process can be started there, all at once, while who asks goes on with
/// other things.
class Probe {
 public:
  /// Starts `command`, which is to end by itself and at once, on the host of `members`; what it
  /// says goes to the file `log`.
  void ask(std::vector<int> members, const std::vector<std::string>& command,
           const std::filesystem::path& log);

  /// The members on whose hosts it ended well, once all have answered or time is over, which is
  /// after a few seconds.
  std::optional<std::vector<int>> poll();

 private:
  using Clock = std::chrono::steady_clock;

  bool have_ended();

  struct Asked {
    Asked(std::vector<int> on_host, const std::vector<std::string>& command,
          const std::filesystem::path& log)
        : members(std::move(on_host)), process(command, log) {}
    std::vector<int> members;
    Process process;
  };

  std::list<Asked> asked_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace tandem::elastic
