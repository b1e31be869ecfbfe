#pragma once

#include <memory>
#include <vector>

#include "core/collectives/sums.h"
#include "core/comm/buffer.h"
#include "core/comm/worker.h"
#include "real/mpi/shared/node.h"
#include "real/mpi/stepped_collective.h"

namespace tandem::mpi {

/// What a rank has to know to do a collective in memory: the ranks that take part, which of them it
/// is itself, and what all end with.
struct DirectPlan {
  std::vector<int> ranks;  ///< of the group
  int rank = 0;
  std::vector<Sum> sums;
};

/// A collective among ranks of one host, each of whom reaches the others' buffers. Once all have
/// begun, each forms its share of the elements from everyone's buffers and writes the result into
/// all of them, so that each number is read once and written once; nobody else touches that share
/// meanwhile. When all are done, so is the collective. The sums are those of the schedule that it
/// stands in for, in the same bits.
///
/// How ranks tell each other where they are; derived classes reach the buffers and do the sums.
class SharedCollective : public SteppedCollective {
 public:
  void begin(std::vector<std::uint64_t>& begun) final;
  bool step() final;
  bool is_done() const final { return state_ == State::kDone; }
  int awaited() const final;
  std::optional<int> missed(const std::function<bool(int peer)>& lost) const final;

 protected:
  /// `view` is all that takes part of a rank's buffer, in whatever memory; the node outlives this.
  SharedCollective(const Node& node, std::shared_ptr<const DirectPlan> plan, const View& view)
      : node_(node), plan_(std::move(plan)), view_(view) {}

  const Node& node() const { return node_; }
  const DirectPlan& plan() const { return *plan_; }
  const View& view() const { return view_; }
  int ranks() const { return static_cast<int>(plan_->ranks.size()); }
  /// The elements that this rank forms: whole cache lines, but at the end.
  Chunk share() const;

  /// Whether the buffer has what this rank begins with.
  virtual bool is_ready() { return true; }
  /// Whom it waits for until then; kAnyPeer where that is no rank.
  virtual int getting_ready_for() const { return kAnyPeer; }
  /// Tells a neighbour how it reaches the buffer of what is the `number`-th collective with it.
  virtual void publish(int peer, std::uint64_t number) = 0;
  /// Reaches the own buffer, and that of plan().ranks[at], whose `number`-th with this rank it is.
  /// Called once each, in order.
  virtual void reach_own() = 0;
  virtual void reach(int at, std::uint64_t number) = 0;
  enum class Progress { kMoved, kWaits, kDone };
  /// Goes on to form the share.
  virtual Progress work() = 0;
  /// Whether it is done as soon as its own work is: nobody writes into another's buffer.
  virtual bool ends_alone() const { return false; }

 private:
  enum class State { kGettingReady, kBeginning, kWorking, kEnding, kDone };

  void publish_all();
  bool all_have_begun();
  void say_done();
  bool all_are_done();
  bool is_own(int at) const { return at == plan_->rank; }

  const Node& node_;
  std::shared_ptr<const DirectPlan> plan_;
  View view_;
  std::vector<std::uint64_t>* begun_ = nullptr;
  State state_ = State::kGettingReady;
  int at_ = 0;  ///< of the plan's ranks: the first not yet heard of
};

}  // namespace tandem::mpi
