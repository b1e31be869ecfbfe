#include "real/elastic/probe.h"

namespace tandem::elastic {
namespace {

constexpr std::chrono::seconds kAnswerIn{5};
constexpr std::chrono::seconds kSilentEndIn{1};  // those that gave no answer

}  // namespace

void Probe::ask(std::vector<int> members, const std::vector<std::string>& command,
                const std::filesystem::path& log) {
  asked_.emplace_back(std::move(members), command, log).process.set_patience(kSilentEndIn);
}

std::optional<std::vector<int>> Probe::poll() {
  const Clock::duration since = Clock::now() - began_;
  if (!have_ended()) {
    if (since < kAnswerIn) return std::nullopt;
    for (Asked& asked : asked_) asked.process.ask_to_end();
    if (since < kAnswerIn + kSilentEndIn) return std::nullopt;
  }
  std::vector<int> there;
  for (Asked& asked : asked_) {
    const std::optional<ProcessEnd> end = asked.process.poll();
    if (end && end->exit_code == 0)
      there.insert(there.end(), asked.members.begin(), asked.members.end());
    asked.process.set_patience({});  // it has had its time
  }
  return there;
}

bool Probe::have_ended() {
  bool all = true;
  for (Asked& asked : asked_) all = asked.process.poll().has_value() && all;
  return all;
}

}  // namespace tandem::elastic
