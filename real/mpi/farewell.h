#pragma once

#include <vector>

#include "real/mpi/communicator.h"
#include "real/mpi/request_set.h"

namespace tandem::mpi {

/// Who has left the job. A member that ends, in whichever way, says so to all others; since
/// messages between two ranks don't overtake each other, whatever it sent before arrives before.
/// So a receive from it that no message has met by then will never be met.
class Farewell {
 public:
  /// Both must outlive it.
  Farewell(const Communicator& comm, RequestSet& requests);

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
  void heard(const Outcome& outcome);

  const Communicator& comm_;
  RequestSet& requests_;
  int tag_;
  int rank_;
  int size_;
  bool said_ = false;
  bool news_ = false;
  int left_count_ = 0;
  std::vector<bool> left_;
};

}  // namespace tandem::mpi
