#pragma once

#include <array>
#include <boost/container/small_vector.hpp>

#include "real/mpi/shared/shared_collective.h"

namespace tandem::mpi {

/// Where neighbours read what this rank begins its small collectives with: two places in the
/// memory that they reach, in turns. One is free again once all who read it last have said so.
class Slots {
 public:
  static constexpr std::size_t kBytes = 4 << 10;  ///< of each

  /// Has some where the ranks share memory and are `crowded`; all of a node alike.
  Slots(Node& node, bool crowded);

  bool exist() const { return memory_.front().view().has_data(); }

 private:
  friend class SmallCollective;
  struct Reader {
    int peer;
    std::uint64_t begun;  ///< that collective's number with this rank
  };

  std::array<Buffer, 2> memory_;
  std::array<std::vector<Reader>, 2> readers_;
  int next_ = 0;
};

/// A collective of so few elements that each rank forms all sums for itself, from copies that all
/// have made of what they began with. So ranks wait for each other once, and not at the end too,
/// which is what small ones take their time for where ranks have to wait for a core as well. Where
/// each has its own, to read what another has just written takes longer than that.
class SmallCollective final : public SharedCollective {
 public:
  /// `view` is of at most Slots::kBytes, in any memory of the host. `stack` is of stack_bytes() or
  /// more. All outlive it.
  SmallCollective(const Node& node, std::shared_ptr<const DirectPlan> plan, const View& view,
                  Slots& slots, const View& stack);

  static std::size_t stack_bytes(const DirectPlan& plan);

 private:
  bool is_ready() override;
  int getting_ready_for() const override { return reader(); }
  void publish(int peer, std::uint64_t number) override;
  void reach_own() override { beginnings_.push_back(slot()); }
  void reach(int at, std::uint64_t number) override;
  Progress work() override;
  bool ends_alone() const override { return true; }
  /// Who still reads what the slot had before; kAnyPeer where nobody does.
  int reader() const;
  View slot() const { return {slots_.memory_[slot_].view().data, view().elements, view().dtype}; }

  Slots& slots_;
  int slot_;
  View stack_;
  boost::container::small_vector<View, 16> beginnings_;  ///< of the plan's ranks
};

}  // namespace tandem::mpi
