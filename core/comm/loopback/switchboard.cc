#include "core/comm/loopback/switchboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/comm/left_over.h"

namespace tandem::loopback {

Switchboard::Switchboard(int ranks)
    : changed_(ranks), unexpected_(ranks), posted_(ranks), left_(ranks, false) {}

bool Switchboard::matches(const PostedReceive& receive, const Message& message) {
  return (receive.source == kAnyPeer || receive.source == message.source) &&
         receive.channel == message.channel && receive.tag == message.tag;
}

void Switchboard::deliver(const PostedReceive& receive, const Message& message) {
  Pending& operation = *receive.operation;
  operation.done = true;
  operation.peer = message.source;
  if (message.bytes != receive.view.bytes()) {
    operation.error = std::make_exception_ptr(std::logic_error(
        fmt::format("a receive of {} bytes met a message of {} bytes from rank {} (tag {})",
                    receive.view.bytes(), message.bytes, message.source, message.tag)));
  } else if (receive.view.has_data() && !message.payload.empty()) {
    std::memcpy(receive.view.data, message.payload.data(), message.bytes);
  }
}

std::shared_ptr<Pending> Switchboard::send(int source, int destination, Channel channel, Tag tag,
                                           View view) {
  Message message{source, channel, tag, view.bytes(), {}};
  if (view.has_data()) message.payload.assign(view.data, view.data + view.bytes());
  auto operation = std::make_shared<Pending>();
  operation->done = true;
  operation->moved = {Moved::What::kSent, view.bytes()};

  std::lock_guard lock(mutex_);
  auto& posted = posted_[destination];
  const auto receive = std::ranges::find_if(
      posted, [&](const PostedReceive& candidate) { return matches(candidate, message); });
  if (receive == posted.end()) {
    unexpected_[destination].push_back(std::move(message));
  } else {
    deliver(*receive, message);
    posted.erase(receive);
    changed_[destination].notify_all();
  }
  return operation;
}

std::shared_ptr<Pending> Switchboard::receive(int destination, int source, Channel channel, Tag tag,
                                              View view) {
  auto operation = std::make_shared<Pending>();
  operation->peer = source;
  operation->receives = true;
  operation->moved = {Moved::What::kReceived, view.bytes()};
  PostedReceive receive{source, channel, tag, view, operation};

  std::lock_guard lock(mutex_);
  auto& unexpected = unexpected_[destination];
  const auto message = std::ranges::find_if(
      unexpected, [&](const Message& candidate) { return matches(receive, candidate); });
  if (message == unexpected.end()) {
    posted_[destination].push_back(std::move(receive));
  } else {
    deliver(receive, *message);
    unexpected.erase(message);
  }
  return operation;
}

void Switchboard::complete(int rank, Pending& operation, std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  operation.done = true;
  operation.error = std::move(error);
  changed_[rank].notify_all();
}

bool Switchboard::unreachable(int self, const Pending& operation) const {
  if (!operation.receives || operation.done) return false;
  if (operation.peer != kAnyPeer) return left_[operation.peer];
  for (std::size_t rank = 0; rank < left_.size(); ++rank) {
    if (static_cast<int>(rank) != self && !left_[rank]) return false;
  }
  return true;
}

std::optional<Completion> Switchboard::wait_any(int self, std::span<Handle> handles,
                                                Seconds timeout) {
  std::optional<Completion> completion;
  const auto ready = [&] {
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (handles[i].empty()) continue;
      const auto& operation = static_cast<const Pending&>(*handles[i].get());
      if (unreachable(self, operation)) {
        const PeerLost lost(operation.peer);
        withdraw(self, handles[i].get());
        handles[i].reset();
        throw lost;
      }
      if (!operation.done) continue;
      completion = Completion{i, operation.peer, operation.moved};
      return true;
    }
    return false;
  };
  std::unique_lock lock(mutex_);
  if (timeout == kForever) {
    changed_[self].wait(lock, ready);
  } else if (!changed_[self].wait_for(lock, std::chrono::duration<double>(timeout), ready)) {
    return std::nullopt;
  }
  Handle& handle = handles[completion->index];
  const std::exception_ptr error = static_cast<const Pending&>(*handle.get()).error;
  handle.reset();
  if (error) std::rethrow_exception(error);
  return completion;
}

void Switchboard::withdraw(int self, const Operation* operation) {
  std::erase_if(posted_[self],
                [&](const PostedReceive& receive) { return receive.operation.get() == operation; });
}

std::string Switchboard::left_over() const {
  std::lock_guard lock(mutex_);
  for (std::size_t rank = 0; rank < left_.size(); ++rank) {
    if (!unexpected_[rank].empty()) {
      const Message& message = unexpected_[rank].front();
      return unreceived(static_cast<int>(rank), message.source, message.tag, message.bytes);
    }
    if (!posted_[rank].empty()) {
      const PostedReceive& receive = posted_[rank].front();
      return unmet(static_cast<int>(rank), receive.source, receive.tag);
    }
  }
  return "";
}

void Switchboard::leave(int rank) {
  std::lock_guard lock(mutex_);
  left_[rank] = true;
  for (std::condition_variable& changed : changed_) changed.notify_all();
}

}  // namespace tandem::loopback
