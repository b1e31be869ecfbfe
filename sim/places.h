#pragma once

#include <optional>
#include <vector>

namespace tandem {

/// Which members a simulation runs, counted by places: all of them, each in the place of its rank;
/// or, where all workers are folded into one (folding.h), the first worker and the servers.
class Places {
 public:
  /// All of `members`.
  explicit Places(int members) : members_(members), workers_(1) {}
  static Places folded(int workers, int servers) {
    Places places(workers + servers);
    places.workers_ = workers;
    return places;
  }

  /// Of the job, those that are not run among them.
  int members() const { return members_; }
  int count() const { return members_ - (workers_ - 1); }
  /// Of a negative place, which stands for any, the same.
  int rank(int place) const { return place <= 0 ? place : place + workers_ - 1; }
  /// Of a negative rank, which stands for any, the same; of one that is not run, none: count().
  int place(int rank) const {
    if (rank <= 0) return rank;
    return stands_for(rank) > 0 ? rank - (workers_ - 1) : count();
  }
  /// As Worker::stands_for().
  int stands_for(int rank) const {
    if (rank == 0) return workers_;
    return rank < workers_ ? 0 : 1;
  }
  bool is_folded() const { return workers_ > 1; }

 private:
  int members_;
  int workers_;  ///< that the first stands for
};

}  // namespace tandem
