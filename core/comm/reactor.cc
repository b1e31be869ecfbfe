#include "core/comm/reactor.h"

namespace tandem {

void Reactor::when(Handle handle, std::function<void(int)> react) {
  handles_.push_back(std::move(handle));
  reactions_.push_back(std::move(react));
}

bool Reactor::react_to_one(Seconds timeout) {
  if (handles_.empty()) return false;
  const auto completion = worker_.wait_any(handles_, timeout);
  if (!completion) return false;
  const auto at = static_cast<std::ptrdiff_t>(completion->index);
  const std::function<void(int)> react = std::move(reactions_[completion->index]);
  // The oldest stay in front, so that none is passed over for ever.
  handles_.erase(handles_.begin() + at);
  reactions_.erase(reactions_.begin() + at);
  react(completion->peer);
  return true;
}

void Reactor::run() {
  while (!handles_.empty() || !later_.empty()) {
    if (react_to_one(later_.empty() ? kForever : 0)) continue;
    const std::function<void()> act = std::move(later_.front());
    later_.pop_front();
    act();
  }
}

}  // namespace tandem
