#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/comm/turns.h"
#include "core/explain/event_graph.h"

namespace tandem {

/// Messages that take their turns: to each peer so many at a time, the most urgent first.
class Lines {
 public:
  /// Whether it may go at once.
  bool ask(const Event& message, EventId id) {
    Line& line = lines_[{message.source, message.destination}];
    if (line.under_way < kTurnsTogether) return ++line.under_way > 0;
    line.waiting.emplace(-message.priority, asked_++, id);
    return false;
  }

  /// One that went is through: the one that may go now.
  std::optional<EventId> done(const Event& message) {
    Line& line = lines_[{message.source, message.destination}];
    if (line.waiting.empty()) {
      --line.under_way;
      return std::nullopt;
    }
    return std::get<EventId>(line.waiting.extract(line.waiting.begin()).value());
  }

 private:
  struct Line {
    int under_way = 0;
    std::set<std::tuple<int, int, EventId>> waiting = {};
  };

  std::map<std::pair<int, int>, Line> lines_;
  int asked_ = 0;
};

}  // namespace tandem
