#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"

namespace tandem {

/// A step in forming a sum on a stack of numbers: push what a rank of the collective began with,
/// add that to the top, or take the top off and add it to the one below.
struct SumStep {
  enum class Kind { kPush, kAdd, kFold } kind;
  int rank = -1;
};

/// Elements, and how what all ranks end with in them is formed.
struct Sum {
  Chunk piece;
  std::vector<SumStep> steps;
  int depth = 1;  ///< of the stack
};

/// What a collective leaves, told apart from how it gets there: for each element the additions that
/// its schedule does, in the order and grouping in which it does them, so that who does them
/// otherwise than by messages ends with the same bits. Pieces follow each other and cover the
/// buffer. Nothing where some ranks end with another result than others, as of a reduce-scatter,
/// where elements move to other offsets, and where the parts of the other ranks aren't known.
std::optional<std::vector<Sum>> sums_of(const Schedule& schedule);

/// Forms a sum of some elements in stack[0], from what the ranks began with in them. All views have
/// data and one size; `stack` has at least `sum.depth` of them.
void form(const Sum& sum, std::span<const View> beginnings, std::span<const View> stack);

}  // namespace tandem
