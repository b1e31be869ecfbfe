#pragma once

#include <array>
#include <memory>
#include <vector>

namespace tandem {

/// The two binary trees over N ranks of Sanders, Speck and Träff ("Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan", Parallel Computing 2009): a rank has at most two
/// parents and at most two children in both together, and the edges are coloured by 0 and 1 so that
/// those up from a rank differ, and those down. In rounds of a broadcast edges of the round's
/// parity are used, so that no rank sends or receives two messages at once.
class TwoTrees {
 public:
  static constexpr int kNobody = -1;

  /// A rank in one of the trees.
  struct Node {
    int parent = kNobody;
    std::vector<int> children;
    int colour = 0;  ///< of the edge to the parent
    int first = -1;  ///< the round of a broadcast in which it receives; -1 for the root
  };

  explicit TwoTrees(int ranks);

  /// The trees over so many ranks, made once a process, since colouring takes all edges. Any thread
  /// may call it.
  static std::shared_ptr<const TwoTrees> over(int ranks);

  /// `tree` is 0 or 1.
  const Node& node(int tree, int rank) const { return trees_[tree][rank]; }
  /// Rounds of a broadcast.
  int depth() const { return depth_; }

 private:
  int parent_of(int position) const;
  int rank_at(int tree, int position) const;
  void colour();
  void set_first(int tree);
  void begin_at_once();

  int ranks_;
  std::array<std::vector<Node>, 2> trees_;  ///< by rank
  int depth_ = 0;
};

}  // namespace tandem
