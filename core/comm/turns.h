#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace tandem {

/// How many messages that take turns are under way at a time. One alone would leave the wire idle
/// from its end until the next has been announced and asked for.
inline constexpr int kTurnsTogether = 2;

/// Keeps the messages of Worker::send_in_turn() until it is their turn, the first ones sent first.
/// `Way` is what tells apart from whom to whom they go.
template <typename Way, typename Message>
class Turns {
 public:
  /// Returns the message where it may go at once, else keeps it.
  std::optional<Message> admit(const Way& way, Message message) {
    Line& line = lines_[way];
    if (line.under_way == kTurnsTogether) {
      line.waiting.push_back(std::move(message));
      return std::nullopt;
    }
    ++line.under_way;
    return message;
  }

  /// One that was let go has arrived: returns the next one, if any waits.
  std::optional<Message> arrived(const Way& way) {
    Line& line = lines_[way];
    if (line.waiting.empty()) {
      --line.under_way;
      return std::nullopt;
    }
    Message next = std::move(line.waiting.front());
    line.waiting.pop_front();
    return next;
  }

 private:
  struct Line {
    int under_way = 0;
    std::deque<Message> waiting = {};
  };

  std::map<Way, Line> lines_;
};

}  // namespace tandem
