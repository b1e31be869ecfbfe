#include "core/collectives/double_binary_tree.h"

#include <algorithm>

#include "core/collectives/two_trees.h"

namespace tandem {
namespace {

class DoubleBinaryTree final : public RankSchedule {
 public:
  DoubleBinaryTree(std::size_t segment, int ranks, int rank, std::size_t elements)
      : RankSchedule("double_binary_tree", ranks, rank, elements, segment),
        segment_(segment),
        trees_(TwoTrees::over(ranks)) {
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
      const TwoTrees::Node& self = trees_->node(tree, rank());
      if (self.parent != TwoTrees::kNobody) {
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

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    return std::make_unique<DoubleBinaryTree>(segment_, ranks(), rank, elements());
  }

 private:
  int half_rounds() const { return trees_->depth() + 2 * (segments_ - 1); }

  /// What an edge carries so many rounds after its first: a segment every other round.
  Chunk segment(int tree, int age) const {
    if (age < 0 || age % 2 != 0 || age / 2 >= segments_) return {0, 0};
    return chunk(chunk(elements(), 2, tree), segments_, age / 2);
  }

  std::size_t segment_;  ///< elements, at most
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
