#pragma once

#include <mpi.h>

namespace tandem::mpi {

/// MPI from initialisation to finalisation, which is collective. One a process, made and destroyed
/// by the main thread. Any thread may call MPI in between: one polls for progress, and the main
/// thread may abort the job meanwhile.
class Session {
 public:
  /// Throws RunError where MPI can't start or has no MPI_THREAD_MULTIPLE.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// That this process might use when its session began: it may have been bound to some since.
  static int processors();

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace tandem::mpi
