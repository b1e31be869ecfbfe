#pragma once

#include <memory>
#include <vector>

#include "core/collectives/sums.h"
#include "core/comm/buffer.h"
#include "real/mpi/shared/node.h"

namespace tandem::mpi {

/// What a rank has to know to do a collective in memory: the ranks that take part, which of them it
/// is itself, and what all end with.
struct DirectPlan {
  std::vector<int> ranks;  ///< of the group
  int rank = 0;
  std::vector<Sum> sums;
};

/// A collective among ranks of one host, without messages. Once all have begun, each forms its
/// share of the elements straight from everyone's buffers, cache block by cache block, and writes
/// the result into all of them, so that each number is read once and written once; nobody else
/// touches that share meanwhile. When all are done, so is the collective. The sums are those of the
/// schedule that it stands in for, in the same bits.
class DirectCollective {
 public:
  enum class State { kBeginning, kWorking, kEnding, kDone };

  /// Begins it. All must outlive it. `begun` counts what this rank has begun with each other rank.
  DirectCollective(const Node& node, const DirectPlan& plan, const View& view, const View& stack,
                   std::vector<std::uint64_t>& begun);

  /// Goes on as far as it can without waiting, for some tenths of a millisecond at most; false
  /// where it waits.
  bool step();

  bool is_done() const { return state_ == State::kDone; }
  /// Once done: whether nothing was done, since someone's buffer can't be reached by the others.
  bool is_refused() const { return refused_; }
  /// Whom of the group it waits for; nobody, -1, while it works or is done.
  int awaited() const;

  /// Bytes of the stack that it needs.
  static std::size_t stack_bytes(const DirectPlan& plan);

 private:
  bool all_have_begun();
  bool all_are_done();
  void work();
  void ask_ahead(std::size_t offset, std::size_t elements) const;
  void form_block(const Sum& sum, std::size_t offset, std::size_t elements);

  const Node& node_;
  const DirectPlan& plan_;
  View view_;
  View stack_;
  std::vector<std::uint64_t>& begun_;
  State state_ = State::kBeginning;
  bool refused_ = false;
  int at_ = 0;               ///< of the plan's ranks: the first not yet heard of
  std::vector<View> views_;  ///< of the plan's ranks
  Chunk share_ = {};         ///< what is left of it to be formed
  std::size_t sum_ = 0;      ///< the one that it begins in
};

}  // namespace tandem::mpi
