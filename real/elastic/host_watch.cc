#include "real/elastic/host_watch.h"

#include <algorithm>

#include "core/base/interrupt.h"
#include "core/command/naps.h"

namespace tandem::elastic {
namespace {

constexpr Seconds kAskEvery = 10;  // those that are missing

}  // namespace

// Not counted from when those that are missing were asked, which goes on meanwhile.
bool HostWatch::is_late(Seconds started) const {
  return now_() - std::max(started, looked_) > kStartIn;
}

std::vector<int> HostWatch::look(const std::vector<int>& members) {
  looked_ = asked_at_ = now_();
  Probe probe = ask_(members);
  std::optional<std::vector<int>> there;
  for (Naps naps; !(there = probe.poll()); naps.take())
    if (interrupted() != 0) return {};
  std::vector<int> missing = members;
  std::erase_if(missing, [&](int member) { return std::ranges::count(*there, member) > 0; });
  std::ranges::sort(missing);
  missing_.insert(missing.begin(), missing.end());
  return missing;
}

void HostWatch::look_again() {
  if (asked_) {
    const std::optional<std::vector<int>> there = asked_->poll();
    if (!there) return;
    for (const int member : *there) missing_.erase(member);
    asked_.reset();
  }
  if (missing_.empty() || now_() - asked_at_ < kAskEvery) return;
  asked_at_ = now_();
  asked_.emplace(ask_({missing_.begin(), missing_.end()}));
}

void HostWatch::await_answers() {
  look_again();
  for (Naps naps; asked_ && interrupted() == 0; naps.take()) look_again();
}

}  // namespace tandem::elastic
