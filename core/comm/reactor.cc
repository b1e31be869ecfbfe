#include "core/comm/reactor.h"

namespace tandem {

void Reactor::when(Handle handle, std::function<void(int)> react) {
  handles_.push_back(std::move(handle));
  reactions_.push_back(std::move(react));
}

void Reactor::run() {
  while (!handles_.empty()) {
    const Completion completion = *worker_.wait_any(handles_);
    const auto at = static_cast<std::ptrdiff_t>(completion.index);
    const std::function<void(int)> react = std::move(reactions_[completion.index]);
    // The oldest stay in front, so that none is passed over for ever.
    handles_.erase(handles_.begin() + at);
    reactions_.erase(reactions_.begin() + at);
    react(completion.peer);
  }
}

}  // namespace tandem
