#include "core/comm/reactor.h"

#include "core/record/recorder.h"

namespace tandem {

void Reactor::when(Handle handle, std::function<void(int)> react) {
  handles_.push_back(std::move(handle));
  reactions_.push_back(std::move(react));
}

bool Reactor::react_to_one(Seconds timeout) {
  if (handles_.empty()) return false;
  const auto completion = wait_any(timeout);
  if (!completion) return false;
  // A message that was sent unasked completes at once, for what it was sent for.
  if (completion->moved.message != 0) cause_ = completion->moved.message;
  const auto at = static_cast<std::ptrdiff_t>(completion->index);
  const std::function<void(int)> react = std::move(reactions_[completion->index]);
  // The oldest stay in front, so that none is passed over for ever.
  handles_.erase(handles_.begin() + at);
  reactions_.erase(reactions_.begin() + at);
  const DuringTask reaction(worker_.record(), Task::Kind::kReaction, cause_);
  react(completion->peer);
  return true;
}

std::optional<Completion> Reactor::wait_any(Seconds timeout) {
  const DuringTask serving(worker_.record(), Task::Kind::kServing);
  return worker_.wait_any(handles_, timeout);
}

void Reactor::run() {
  while (!handles_.empty() || !later_.empty()) {
    if (react_to_one(later_.empty() ? kForever : 0)) continue;
    const Later later = std::move(later_.front());
    later_.pop_front();
    const DuringTask put_off(worker_.record(), Task::Kind::kPutOff, later.cause);
    cause_ = later.cause;
    later.act();
  }
}

}  // namespace tandem
