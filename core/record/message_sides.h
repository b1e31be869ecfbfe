#pragma once

#include <cstdint>
#include <set>

#include "core/record/recorder.h"

namespace tandem {

/// Which messages some spans show from both sides, so that an arrow can lead from one to the other.
class MessageSides {
 public:
  /// In any order.
  void add(const Span& span) {
    if (is_send(span)) sent_.insert(span.message);
    if (is_receive(span)) received_.insert(span.message);
  }

  /// An arrow begins with it: it is a send whose receive was added too.
  bool begins_arrow(const Span& span) const {
    return is_send(span) && received_.contains(span.message);
  }
  /// An arrow ends with it.
  bool ends_arrow(const Span& span) const {
    return is_receive(span) && sent_.contains(span.message);
  }

 private:
  static bool is_send(const Span& span) { return span.message != 0 && span.name == "send"; }
  static bool is_receive(const Span& span) { return span.message != 0 && span.name == "receive"; }

  std::set<std::uint64_t> sent_, received_;
};

}  // namespace tandem
