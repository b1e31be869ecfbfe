#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace tandem::mpi {

struct WaitingMessage {
  int source = 0;
  int tag = 0;
  std::size_t bytes = 0;
};

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
  /// Whether another rank is on this one's host. Collective.
  bool has_neighbours() const;
  /// Collective over it: whether the machine, whose cores several hosts of a lab share, has one for
  /// each of its ranks, of those that they may use together.
  bool has_cores_for_all() const;
  /// The largest tag that this MPI knows.
  int largest_tag() const;
  /// A message that has arrived and that no receive was posted for, the first found.
  std::optional<WaitingMessage> waiting_message() const;
  /// Not done by destruction: after a failure the other members won't take part.
  void free();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace tandem::mpi
