#include "core/collectives/double_binary_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <vector>

namespace tandem {
namespace {

constexpr int kNobody = -1;

/// A rank in one of the trees.
struct Node {
  int parent = kNobody;
  std::vector<int> children;
  int colour = 0;  ///< of the edge to the parent: used in rounds of this parity
  int first = -1;  ///< the round of a broadcast in which the first segment comes in
};

/// The two trees over N ranks: what does not depend on the rank or the buffer.
class TwoTrees {
 public:
  explicit TwoTrees(int ranks) : ranks_(ranks) {
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
  }

  const Node& node(int tree, int rank) const { return trees_[tree][rank]; }
  /// Rounds of a broadcast of one segment.
  int depth() const { return depth_; }

 private:
  // Position 0 is the root; of the others the odd ones are leaves, as in an in-order numbering.
  int parent_of(int position) const {
    const int height = position & -position;
    const int up = (position ^ height) | (height << 1);
    return up < ranks_ ? up : position ^ height;
  }

  /// The second tree is the first mirrored, or shifted by one where N is odd, so that its inner
  /// ranks are leaves of the first.
  int rank_at(int tree, int position) const {
    if (tree == 0) return position;
    return ranks_ % 2 == 0 ? ranks_ - 1 - position : (position + 1) % ranks_;
  }

  /// An edge is named by its tree and its lower end. The two edges down from a rank get unlike
  /// colours, and so do the two up from it. That makes cycles of even length, and paths, of edges,
  /// along which colours alternate.
  void colour() {
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

  /// The next round of an edge's colour after the upper end has the segment.
  void set_first(int tree) {
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

  int ranks_;
  std::array<std::vector<Node>, 2> trees_;  ///< by rank
  int depth_ = 0;
};

/// Colouring takes all edges, so a job's ranks share it.
std::shared_ptr<const TwoTrees> two_trees(int ranks) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const TwoTrees>> known;
  const std::lock_guard lock(mutex);
  auto& trees = known[ranks];
  if (!trees) trees = std::make_shared<const TwoTrees>(ranks);
  return trees;
}

class DoubleBinaryTree final : public RankSchedule {
 public:
  DoubleBinaryTree(std::size_t segment, int ranks, int rank, std::size_t elements)
      : RankSchedule("double_binary_tree", ranks, rank, elements), trees_(two_trees(ranks)) {
    const std::size_t half = chunk(elements, 2, 0).elements;
    segments_ = static_cast<int>(std::max<std::size_t>(1, (half + segment - 1) / segment));
  }

  int rounds() const override { return 2 * half_rounds(); }

  // The way up is the way down in a mirror of time.
  Round round(int k) const override {
    const bool up = k < half_rounds();
    const int moment = up ? half_rounds() - 1 - k : k - half_rounds();
    Round round;
    for (const int tree : {0, 1}) {
      const Node& self = trees_->node(tree, rank());
      if (self.parent != kNobody) {
        const Chunk piece = segment(tree, moment - self.first);
        up ? add_send(round, self.parent, piece)
           : add_receive(round, self.parent, piece, Action::kCopy);
      }
      for (const int child : self.children) {
        const Chunk piece = segment(tree, moment - trees_->node(tree, child).first);
        up ? add_receive(round, child, piece, Action::kAdd) : add_send(round, child, piece);
      }
    }
    return round;
  }

 private:
  int half_rounds() const { return trees_->depth() + 2 * (segments_ - 1); }

  /// What an edge carries so many rounds after its first: a segment every other round.
  Chunk segment(int tree, int age) const {
    if (age < 0 || age % 2 != 0 || age / 2 >= segments_) return {0, 0};
    return chunk(chunk(elements(), 2, tree), segments_, age / 2);
  }

  std::shared_ptr<const TwoTrees> trees_;
  int segments_;  ///< of a tree
};

}  // namespace

ScheduleFactory double_binary_tree(std::size_t segment_elements) {
  return [segment_elements](int ranks, int rank, std::size_t elements) {
    return std::make_unique<DoubleBinaryTree>(segment_elements, ranks, rank, elements);
  };
}

}  // namespace tandem
