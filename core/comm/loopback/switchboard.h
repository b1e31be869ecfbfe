#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <vector>

#include "core/comm/channel.h"
#include "core/comm/worker.h"

namespace tandem::loopback {

/// A message or collective in flight. All fields are guarded by the switchboard's mutex.
struct Pending final : Operation {
  bool done = false;
  std::exception_ptr error;
  int peer = -1;  ///< of a receive: who sent it, or while it is not done, whom it waits for
  bool receives = false;
  Moved moved;

  std::string waits_for() const override { return receives ? peer_name(peer) : "a collective"; }
};

/// Matches sends with receives for all ranks of one job. Any thread may call it.
class Switchboard {
 public:
  explicit Switchboard(int ranks);

  std::shared_ptr<Pending> send(int source, int destination, Channel channel, Tag tag, View view);
  std::shared_ptr<Pending> receive(int destination, int source, Channel channel, Tag tag,
                                   View view);

  /// Marks an operation of `rank`, which no message completes, as done.
  void complete(int rank, Pending& operation, std::exception_ptr error = nullptr);

  /// As Worker::wait_any, for rank `self`.
  std::optional<Completion> wait_any(int self, std::span<Handle> handles, Seconds timeout);

  /// `rank` will send no more.
  void leave(int rank);

  /// What is left over now that all have ended: the first message that nobody received, or receive
  /// that nobody met; empty where there is none.
  std::string left_over() const;

 private:
  struct Message {
    int source;
    Channel channel;
    Tag tag;
    std::size_t bytes;
    std::vector<std::byte> payload;  ///< empty where the view had no data
  };
  struct PostedReceive {
    int source;
    Channel channel;
    Tag tag;
    View view;
    std::shared_ptr<Pending> operation;
  };

  static bool matches(const PostedReceive& receive, const Message& message);
  static void deliver(const PostedReceive& receive, const Message& message);
  bool unreachable(int self, const Pending& operation) const;
  void withdraw(int self, const Operation* operation);

  mutable std::mutex mutex_;
  std::vector<std::condition_variable> changed_;  ///< by rank: something that it may wait for
  std::vector<std::deque<Message>> unexpected_;   ///< by destination, in order of sending
  std::vector<std::list<PostedReceive>> posted_;  ///< by destination, in order of posting
  std::vector<bool> left_;
};

}  // namespace tandem::loopback
