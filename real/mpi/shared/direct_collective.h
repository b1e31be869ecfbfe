#pragma once

#include <boost/container/small_vector.hpp>

#include "real/mpi/shared/shared_collective.h"

namespace tandem::mpi {

/// A collective straight in the memory that ranks of one host share, cache block by cache block.
class DirectCollective final : public SharedCollective {
 public:
  /// `stack` is the host's memory, of stack_bytes() or more.
  DirectCollective(const Node& node, std::shared_ptr<const DirectPlan> plan, const View& view,
                   const View& stack);

  /// Where someone's buffer can't be reached by the others.
  bool is_refused() const override { return refused_; }

  /// Bytes of the stack that it needs.
  static std::size_t stack_bytes(const DirectPlan& plan);

 private:
  void publish(int peer, std::uint64_t number) override;
  void reach_own() override;
  void reach(int at, std::uint64_t number) override;
  Progress work() override;
  void ask_ahead(std::size_t offset, std::size_t elements) const;
  void form_block(const Sum& sum, std::size_t offset, std::size_t elements);

  View stack_;
  bool refused_ = false;
  boost::container::small_vector<View, 8> views_;  ///< of the plan's ranks
  Chunk left_;                                     ///< of the share, to be formed
  std::size_t sum_ = 0;                            ///< the one that it begins in
};

}  // namespace tandem::mpi
