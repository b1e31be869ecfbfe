#include "core/collectives/two_trees.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace tandem {

TwoTrees::TwoTrees(int ranks) : ranks_(ranks) {
  for (auto& tree : trees_) tree.resize(ranks);
  for (int position = 1; position < ranks; ++position) {
    for (const int tree : {0, 1}) {
      const int rank = rank_at(tree, position);
      const int parent = rank_at(tree, parent_of(position));
      trees_[tree][rank].parent = parent;
      trees_[tree][parent].children.push_back(rank);
    }
  }
  colour();
  for (const int tree : {0, 1}) set_first(tree);
  begin_at_once();
}

std::shared_ptr<const TwoTrees> TwoTrees::over(int ranks) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const TwoTrees>> known;
  const std::lock_guard lock(mutex);
  auto& trees = known[ranks];
  if (!trees) trees = std::make_shared<const TwoTrees>(ranks);
  return trees;
}

// Position 0 is the root; of the others the odd ones are leaves, as in an in-order numbering.
int TwoTrees::parent_of(int position) const {
  const int height = position & -position;
  const int up = (position ^ height) | (height << 1);
  return up < ranks_ ? up : position ^ height;
}

// The second tree is the first mirrored, or shifted by one where N is odd, so that its inner ranks
// are leaves of the first.
int TwoTrees::rank_at(int tree, int position) const {
  if (tree == 0) return position;
  return ranks_ % 2 == 0 ? ranks_ - 1 - position : (position + 1) % ranks_;
}

// An edge is named by its lower end and its tree: 2 rank + tree. Edges that have to differ make
// paths, and cycles of even length, along which colours alternate.
void TwoTrees::colour() {
  std::vector<std::vector<int>> below(ranks_);  // by rank: edges down from it, 2 rank + tree
  for (const int tree : {0, 1}) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const int parent = trees_[tree][rank].parent;
      if (parent != kNobody) below[parent].push_back(2 * rank + tree);
    }
  }
  std::vector<bool> coloured(2 * static_cast<std::size_t>(ranks_), false);
  std::vector<int> open;
  const auto paint = [&](int edge, int colour) {
    if (coloured[edge]) return;
    coloured[edge] = true;
    trees_[edge % 2][edge / 2].colour = colour;
    open.push_back(edge);
  };
  for (int start = 0; start < 2 * ranks_; ++start) {
    paint(start, 0);
    while (!open.empty()) {
      const int edge = open.back();
      open.pop_back();
      const Node& lower = trees_[edge % 2][edge / 2];
      paint(edge ^ 1, 1 - lower.colour);
      if (lower.parent == kNobody) continue;
      for (const int other : below[lower.parent]) {
        if (other != edge) paint(other, 1 - lower.colour);
      }
    }
  }
}

// An edge is first used in the next round of its colour after the upper end has received.
void TwoTrees::set_first(int tree) {
  std::vector<int> open = {rank_at(tree, 0)};
  while (!open.empty()) {
    const Node& upper = trees_[tree][open.back()];
    open.pop_back();
    for (const int child : upper.children) {
      Node& lower = trees_[tree][child];
      lower.first = upper.first + 1;
      if (lower.first % 2 != lower.colour) ++lower.first;
      depth_ = std::max(depth_, lower.first + 1);
      open.push_back(child);
    }
  }
}

// Where both roots wait for the second round, every edge may be used a round earlier.
void TwoTrees::begin_at_once() {
  int wait = depth_;
  const auto each_edge = [&](const auto& visit) {
    for (auto& tree : trees_) {
      for (Node& lower : tree) {
        if (lower.parent != kNobody) visit(lower);
      }
    }
  };
  each_edge([&](const Node& lower) { wait = std::min(wait, lower.first); });
  if (wait == 0) return;
  each_edge([&](Node& lower) {
    lower.first -= wait;
    lower.colour ^= wait;
  });
  depth_ -= wait;
}

}  // namespace tandem
