#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace tandem {

/// Those that go one after the other, each known by its `id`, which is not 0.
template <typename Item>
class Line {
 public:
  /// Whether it may go at once; else it waits.
  bool admit(Item& item) {
    if (first_ != 0) {
      waiting_.push_back(&item);
      return false;
    }
    first_ = item.id;
    return true;
  }

  /// `gone` has: the next, or null where there is none or the next goes already.
  Item* next(std::uint64_t gone) {
    if (first_ != gone) return nullptr;
    first_ = 0;
    if (waiting_.empty()) return nullptr;
    Item* next = waiting_.front();
    waiting_.pop_front();
    first_ = next->id;
    return next;
  }

  /// The same, of one that is to go once more, behind those that wait up to the first that
  /// `follows` it.
  template <typename Follows>
  Item* next_before(Item& again, const Follows& follows) {
    if (first_ != again.id) return nullptr;
    waiting_.insert(std::find_if(waiting_.begin(), waiting_.end(), follows), &again);
    return next(again.id);
  }

  /// It goes no more, whether it waited or not: the next, as above.
  Item* leave(const Item& item) {
    std::erase(waiting_, &item);
    return next(item.id);
  }

 private:
  std::deque<Item*> waiting_;
  std::uint64_t first_ = 0;  ///< the one that goes; 0: none does
};

}  // namespace tandem
