#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/explain/event_graph.h"

namespace tandem {

/// Notes what one attendant did, and makes an Attendant of it.
class DeedBook {
 public:
  /// A computation, or a wait that was for something certain.
  void step(const Span& span, EventId event);
  /// It saw that a message had ended.
  void saw(const Span& wait, EventId event);
  /// Its side of a message.
  void post(const Span& span, EventId event);

  /// Of `rank`. `messages` are the events by Span::message. Counts in the graph's events the deeds
  /// that they need.
  Attendant attendant(EventGraph& graph, const std::map<std::uint64_t, EventId>& messages, int rank,
                      const HoldRule& rule) &&;

 private:
  struct Entry {
    int position;
    bool is_step;        ///< which comes after the posts at its position
    std::int64_t order;  ///< of a post: Span::order or Turn::order
    Seconds begin;
    Deed deed;
    Task task;
    std::uint64_t seen = 0;  ///< the message that it saw the end of

    auto place() const { return std::tuple(position, is_step, order, begin, deed.event); }
  };

  class Sorter;

  void add_looks();

  std::vector<Entry> entries_;
  std::set<int> positions_;  ///< of steps
};

}  // namespace tandem
