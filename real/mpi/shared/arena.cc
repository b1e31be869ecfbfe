#include "real/mpi/shared/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tandem::mpi {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPage = 4096;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// A piece begins at a multiple of this and takes a multiple of it.
std::size_t unit_of(std::size_t bytes) {
  return bytes >= kPage ? kPage : kLine;
}

std::size_t taken_by(std::size_t bytes) {
  return round_up(std::max<std::size_t>(bytes, 1), unit_of(bytes));
}

/// Addresses cost nothing, so that free pieces of unlucky sizes don't matter; but no more than any
/// processor has for a few dozen processes.
std::size_t addresses() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return 4 * pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Arena::Arena() : mapping_(addresses()) {
  if (exists()) free_[0] = mapping_.bytes();
}

std::byte* Arena::allocate(std::size_t bytes) {
  const std::size_t taken = taken_by(bytes);
  std::lock_guard lock(mutex_);
  for (auto first = free_.begin(); first != free_.end(); ++first) {
    const auto [offset, room] = *first;
    const std::size_t begin = round_up(offset, unit_of(bytes));
    if (begin + taken > offset + room) continue;
    const std::size_t after = offset + room - begin - taken;
    if (after > 0) free_[begin + taken] = after;
    first->second = begin - offset;
    if (first->second == 0) free_.erase(first);
    return mapping_.data() + begin;
  }
  return nullptr;
}

void Arena::free(std::byte* data, std::size_t bytes) {
  const std::size_t taken = taken_by(bytes);
  const bool has_pages = unit_of(bytes) == kPage;
  if (!has_pages || madvise(data, taken, MADV_REMOVE) != 0) std::memset(data, 0, taken);
  std::lock_guard lock(mutex_);
  auto entry = free_.emplace(data - mapping_.data(), taken).first;
  const auto join = [this](auto first, auto second) {
    if (first->first + first->second != second->first) return first;
    first->second += second->second;
    free_.erase(second);
    return first;
  };
  if (entry != free_.begin()) {
    const auto before = std::prev(entry);
    if (before->first + before->second == entry->first) entry = join(before, entry);
  }
  if (std::next(entry) != free_.end()) join(entry, std::next(entry));
}

}  // namespace tandem::mpi
