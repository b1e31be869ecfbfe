#include "real/mpi/request_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "core/base/error.h"
#include "real/mpi/check.h"

namespace tandem::mpi {
namespace {

/// The datatype and count that describe `bytes` bytes, without a count above `largest_count`.
class Extent {
 public:
  Extent(std::size_t bytes, std::size_t largest_count) {
    if (bytes <= largest_count) {
      count = static_cast<int>(bytes);
      return;
    }
    const auto blocks = static_cast<int>(bytes / largest_count);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(static_cast<int>(largest_count), MPI_BYTE, &block),
          "MPI_Type_contiguous");
    const int counts[] = {blocks, static_cast<int>(bytes % largest_count)};
    const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(blocks * largest_count)};
    const MPI_Datatype types[] = {block, MPI_BYTE};
    check(MPI_Type_create_struct(2, counts, offsets, types, &type), "MPI_Type_create_struct");
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    check(MPI_Type_free(&block), "MPI_Type_free");
    count = 1;
  }
  ~Extent() {
    if (type != MPI_BYTE) MPI_Type_free(&type);  // a message in flight keeps it alive
  }
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

std::exception_ptr size_error(std::size_t expected, MPI_Count actual, int source) {
  return std::make_exception_ptr(RunError(fmt::format(
      "a receive of {} bytes met a message of {} bytes from rank {}", expected, actual, source)));
}

}  // namespace

void RequestSet::append(MPI_Request request, Flight&& flight) {
  ++live_;
  if (flight.background) ++background_;
  requests_.push_back(request);
  flights_.push_back(std::move(flight));
  if (indices_.size() >= requests_.size()) return;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
}

// MPI does so itself but for the request of a message that failed.
void RequestSet::let_go(std::size_t index) {
  --live_;
  if (flights_[index].background) --background_;
  requests_[index] = MPI_REQUEST_NULL;
  flights_[index].memory.reset();
}

// The others stay in the order in which they were posted. To move them takes longer than to look at
// gaps, so these stay too while they are few.
void RequestSet::close_up() {
  while (!requests_.empty() && requests_.back() == MPI_REQUEST_NULL) {
    requests_.pop_back();
    flights_.pop_back();
  }
  constexpr std::size_t kMostGaps = 16;
  if (requests_.size() <= 2 * live_ + kMostGaps) return;
  std::size_t next = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    std::swap(requests_[next], requests_[i]);
    std::swap(flights_[next++], flights_[i]);
  }
  requests_.resize(live_);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(live_), flights_.end());
}

void RequestSet::send(MPI_Comm comm, int peer, int tag, View view, OnDone on_done) {
  const Extent extent(view.bytes(), largest_count_);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(view.data, extent.count, extent.type, peer, tag, comm, &request), "MPI_Isend");
  append(request,
         {peer, tag, false, false, view.bytes(), std::move(view.owner), std::move(on_done)});
}

void RequestSet::receive(MPI_Comm comm, int peer, int tag, View view, OnDone on_done,
                         bool background) {
  const Extent extent(view.bytes(), largest_count_);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(view.data, extent.count, extent.type, peer, tag, comm, &request), "MPI_Irecv");
  append(request,
         {peer, tag, true, background, view.bytes(), std::move(view.owner), std::move(on_done)});
}

std::size_t RequestSet::test() {
  if (requests_.empty()) return 0;
  int count = 0;
  int code = MPI_SUCCESS;
  // Open MPI looks first and progresses then: what that completed, only a second look tells.
  for (int look = 0; look < 2 && count <= 0; ++look) {
    code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                        indices_.data(), statuses_.data());
    if (code != MPI_ERR_IN_STATUS) check(code, "MPI_Testsome");
  }
  if (count <= 0) return 0;

  struct Done {
    OnDone on_done;
    Outcome outcome;
  };
  // Taken out first: callbacks post, which moves the arrays.
  boost::container::small_vector<Done, 4> done;
  for (int i = 0; i < count; ++i) {
    Flight& flight = flights_[indices_[i]];
    const int status_code = code == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : MPI_SUCCESS;
    done.push_back({std::move(flight.on_done), outcome(flight, statuses_[i], status_code)});
    let_go(indices_[i]);
  }
  close_up();
  for (const Done& each : done) each.on_done(each.outcome);
  return done.size();
}

Outcome RequestSet::outcome(const Flight& flight, MPI_Status& status, int code) const {
  Outcome result;
  if (!flight.receives) {
    result.source = flight.peer;
  } else {
    int cancelled = 0;
    if (flight.cancel_asked) check(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
    result.cancelled = cancelled != 0;
    result.source = result.cancelled ? flight.peer : status.MPI_SOURCE;
  }
  if (code != MPI_SUCCESS) {
    try {
      check(code, flight.receives ? "MPI_Irecv" : "MPI_Isend");
    } catch (...) {
      result.error = std::current_exception();
    }
  } else if (flight.receives && !result.cancelled) {
    MPI_Count bytes = 0;
    check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
    if (static_cast<std::size_t>(bytes) != flight.bytes) {
      result.error = size_error(flight.bytes, bytes, status.MPI_SOURCE);
    }
  }
  return result;
}

std::optional<RequestSet::Posted> RequestSet::first_receive() const {
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const Flight& flight = flights_[i];
    if (requests_[i] != MPI_REQUEST_NULL && flight.receives && !flight.background)
      return Posted{flight.peer, flight.tag};
  }
  return std::nullopt;
}

void RequestSet::cancel_receives(const std::function<bool(int)>& lost) {
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    Flight& flight = flights_[i];
    if (requests_[i] == MPI_REQUEST_NULL || !flight.receives || flight.background ||
        flight.cancel_asked || !lost(flight.peer))
      continue;
    flight.cancel_asked = true;
    check(MPI_Cancel(&requests_[i]), "MPI_Cancel");
  }
}

void RequestSet::abandon_sends(const std::function<bool(int)>& lost,
                               const std::function<std::exception_ptr(int)>& error) {
  std::vector<Flight> abandoned;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL || flights_[i].receives || !lost(flights_[i].peer))
      continue;
    check(MPI_Request_free(&requests_[i]), "MPI_Request_free");
    abandoned_.push_back(flights_[i].memory);
    abandoned.push_back(std::move(flights_[i]));
    let_go(i);
  }
  close_up();
  for (const Flight& flight : abandoned) flight.on_done({flight.peer, error(flight.peer), false});
}

}  // namespace tandem::mpi
