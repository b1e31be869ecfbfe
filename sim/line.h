#pragma once

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

  /// `gone` has, and `again` is null, or the same, which is to go once more behind those that wait:
  /// the next, or null where there is none or the next goes already.
  Item* next(std::uint64_t gone, Item* again = nullptr) {
    if (first_ != gone) return nullptr;
    if (again != nullptr) waiting_.push_back(again);
    first_ = 0;
    if (waiting_.empty()) return nullptr;
    Item* next = waiting_.front();
    waiting_.pop_front();
    first_ = next->id;
    return next;
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
