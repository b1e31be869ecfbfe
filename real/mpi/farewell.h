#pragma once

#include <map>
#include <vector>

#include "real/mpi/communicator.h"
#include "real/mpi/request_set.h"

namespace tandem::mpi {

/// Who has left the job. A member that ends, in whichever way, says so to all others on every
/// communicator that it sends on; since messages of one communicator between two ranks don't
/// overtake each other, whatever it sent before arrives before. So once it was heard on all of
/// them, a receive from it that no message has met will never be met.
class Farewell {
 public:
  /// All must outlive it. The communicators have the same ranks.
  Farewell(std::vector<const Communicator*> comms, RequestSet& requests);

  /// The tag that farewells travel under; no message of a strategy may use it or a larger one.
  int tag() const { return tag_; }

  void listen();
  /// Tells all others, once. They are still listened to.
  void say();
  bool said() const { return said_; }

  /// Whether a member other than this one has said farewell; of MPI_ANY_SOURCE, whether all have.
  bool has_left(int rank) const;
  bool any_has_left() const { return left_count_ > 0; }
  bool all_have_left() const { return left_count_ == size_ - 1; }
  /// Whether one has left since the last call of this.
  bool news();

 private:
  void listen(const Communicator& comm);
  void heard(const Communicator& comm, const Outcome& outcome);

  std::vector<const Communicator*> comms_;
  RequestSet& requests_;
  int tag_;
  int rank_;
  int size_;
  bool said_ = false;
  bool news_ = false;
  int left_count_ = 0;
  std::vector<std::size_t> heard_;               ///< by rank: on how many communicators
  std::map<const Communicator*, int> heard_on_;  ///< how many ranks
};

}  // namespace tandem::mpi
