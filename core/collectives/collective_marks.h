#pragma once

#include <boost/container_hash/hash.hpp>
#include <cstdint>
#include <map>
#include <utility>

#include "core/collectives/schedule.h"

namespace tandem {

/// Numbers the collectives that one member starts, so that all who take part in one call it the
/// same: Span::message. A group is told by its first and last rank, and its members start its
/// collectives in one order.
class CollectiveMarks {
 public:
  std::uint64_t next(const Schedule& part) {
    const std::pair group(part.group_rank(0), part.group_rank(part.ranks() - 1));
    std::size_t mark = boost::hash_value(group);
    boost::hash_combine(mark, ++started_[group]);
    return (std::uint64_t{1} << 48) + (mark & 0xffff'ffff'ffffU);  // no message's mark
  }

 private:
  std::map<std::pair<int, int>, std::uint64_t> started_;
};

}  // namespace tandem
