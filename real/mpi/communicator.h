#pragma once

#include <mpi.h>

namespace tandem::mpi {

/// Owns a duplicate of a communicator, so that its messages meet no others. Making one is
/// collective, and so is free().
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;
  /// The largest tag that this MPI knows.
  int largest_tag() const;
  /// Not done by destruction: after a failure the other members won't take part.
  void free();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace tandem::mpi
