#include "real/mpi/farewell.h"

#include <utility>

namespace tandem::mpi {

Farewell::Farewell(std::vector<const Communicator*> comms, RequestSet& requests)
    : comms_(std::move(comms)),
      requests_(requests),
      tag_(comms_.front()->largest_tag()),
      rank_(comms_.front()->rank()),
      size_(comms_.front()->size()),
      heard_(size_, 0) {}

void Farewell::listen() {
  if (size_ == 1) return;
  for (const Communicator* comm : comms_) listen(*comm);
}

void Farewell::listen(const Communicator& comm) {
  requests_.receive(
      comm.get(), MPI_ANY_SOURCE, tag_, View{},
      [this, &comm](const Outcome& outcome) { heard(comm, outcome); }, true);
}

void Farewell::heard(const Communicator& comm, const Outcome& outcome) {
  if (outcome.error) std::rethrow_exception(outcome.error);
  int& on_this = heard_on_[&comm];
  if (++heard_[outcome.source] == comms_.size()) {
    ++left_count_;
    news_ = true;
  }
  if (++on_this < size_ - 1) listen(comm);
}

void Farewell::say() {
  said_ = true;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    // Whoever can't be told any more has nothing to wait for either.
    for (const Communicator* comm : comms_) {
      requests_.send(comm->get(), peer, tag_, View{}, [](const Outcome&) {});
    }
  }
}

bool Farewell::has_left(int rank) const {
  return rank == MPI_ANY_SOURCE ? size_ > 1 && all_have_left() : heard_[rank] == comms_.size();
}

bool Farewell::news() {
  return std::exchange(news_, false);
}

}  // namespace tandem::mpi
