#include "real/mpi/farewell.h"

#include <utility>

namespace tandem::mpi {

Farewell::Farewell(const Communicator& comm, RequestSet& requests)
    : comm_(comm),
      requests_(requests),
      tag_(comm.largest_tag()),
      rank_(comm.rank()),
      size_(comm.size()),
      left_(size_, false) {}

void Farewell::listen() {
  if (all_have_left()) return;
  requests_.receive(
      comm_.get(), MPI_ANY_SOURCE, tag_, View{}, [this](const Outcome& outcome) { heard(outcome); },
      true);
}

void Farewell::heard(const Outcome& outcome) {
  if (outcome.error) std::rethrow_exception(outcome.error);
  left_[outcome.source] = true;
  ++left_count_;
  news_ = true;
  listen();
}

void Farewell::say() {
  said_ = true;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    // Whoever can't be told any more has nothing to wait for either.
    requests_.send(comm_.get(), peer, tag_, View{}, [](const Outcome&) {});
  }
}

bool Farewell::has_left(int rank) const {
  return rank == MPI_ANY_SOURCE ? size_ > 1 && all_have_left() : left_[rank];
}

bool Farewell::news() {
  return std::exchange(news_, false);
}

}  // namespace tandem::mpi
