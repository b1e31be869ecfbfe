// How messages that have what they need leave their hosts, and end.

#include <algorithm>

#include "sim/post_office.h"
#include "sim/short_cut_failed.h"

namespace tandem {

void PostOffice::start(Transfer& transfer) {
  if (transfer.begin < reserved_until_ - kTimingPrecision)
    throw ShortCutFailed(ShortCut::kFusing, reserved_reason_);
  simgrid::s4u::Host* from = fabric_.host(transfer.source);
  simgrid::s4u::Host* to = fabric_.host(transfer.destination);
  if (from == to) return land(transfer);
  if (!transfer.unasked) return depart_when_answered(transfer);
  if (connections_[{transfer.source, transfer.destination}].admit(transfer)) queue(transfer);
}

// Its receiver answers once it is announced.
void PostOffice::depart_when_answered(Transfer& transfer) {
  if (transfer.of_collective) return queue(transfer);
  after(transfer.announced, [this, &transfer] {
    const Seconds wait = wire_queues_.wait(fabric_.host(transfer.destination),
                                           {transfer.destination, transfer.source});
    after(simgrid::s4u::Engine::get_clock() + wait, [this, &transfer] { queue(transfer); });
  });
}

// To whoever asks meanwhile it is in flight.
void PostOffice::after(Seconds time, const std::function<void()>& action) {
  if (time <= simgrid::s4u::Engine::get_clock()) return action();
  ++in_flight_;
  simgrid_compat::at(time, [this, action] {
    --in_flight_;
    action();
  });
}

double PostOffice::leaving_bandwidth(const Transfer& transfer) {
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  return 1 / (1 / path.first_bandwidth + path.costs->seconds_per_byte(transfer.from.bytes()));
}

// In line are those that are sent unasked, and of those that are asked for, but for collectives',
// all that a host's queue has room for.
void PostOffice::queue(Transfer& transfer) {
  const simgrid::s4u::Host* from = fabric_.host(transfer.source);
  if (wire_queues_.makes_wait()) {
    const double bandwidth = leaving_bandwidth(transfer);
    const auto bytes = static_cast<double>(messages_in(transfer)) * transfer.from.bytes();
    wire_queues_.begin(from, {transfer.source, transfer.destination},
                       {.id = transfer.id,
                        .bytes = bytes,
                        .begin = simgrid::s4u::Engine::get_clock(),
                        .bandwidth = bandwidth});
    if (!transfer.unasked && !transfer.of_collective)
      transfer.in_line = bytes <= wire_queues_.room(bandwidth);
  }
  if (!transfer.in_line || host_queues_[from].admit(transfer)) go(transfer);
}

void PostOffice::go(Transfer& transfer) {
  transfer.departed ? depart_portion(transfer, portion(transfer, 0), 0) : depart(transfer);
}

void PostOffice::depart(Transfer& transfer) {
  const std::size_t bytes = transfer.from.bytes();
  transfer.departed = true;
  transfer.begin = simgrid::s4u::Engine::get_clock();
  MessageTime& time = transfer.time;
  transfer.spent = std::min(transfer.saved, time.latency + time.fixed);
  const Seconds of_software = std::min(transfer.spent, time.fixed);
  time.fixed -= of_software;
  time.latency -= transfer.spent - of_software;
  time.alone -= transfer.spent;
  const Seconds on_the_wire = transfer.begin + time.latency + time.fixed;
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  const std::size_t at_once = shapers_.begin(path, bytes, on_the_wire);
  depart_portion(transfer, portion(transfer, at_once), at_once);
}

std::size_t PostOffice::portion(const Transfer& transfer, std::size_t at_once) {
  if (!transfer.in_line) return transfer.left;
  return static_cast<std::size_t>(wire_queues_.portion(static_cast<double>(transfer.left),
                                                       static_cast<double>(at_once),
                                                       leaving_bandwidth(transfer)));
}

// It may end as it begins, because a link is off, and be another message when that is told.
void PostOffice::depart_portion(Transfer& transfer, std::size_t bytes, std::size_t at_once) {
  simgrid::s4u::Host* from = fabric_.host(transfer.source);
  simgrid::s4u::Host* to = fabric_.host(transfer.destination);
  if (!from->is_on() || !to->is_on()) {
    give_up(transfer);
    return end_if_all_are_done(transfer);
  }
  const std::uint64_t id = transfer.id;
  transfer.left -= bytes;
  const std::size_t waiting = bytes - std::min(bytes, at_once);
  if (const double bandwidth = leaving_bandwidth(transfer); transfer.in_line && bandwidth > 0) {
    const Seconds gone =
        simgrid::s4u::Engine::get_clock() + static_cast<double>(waiting) / bandwidth;
    simgrid_compat::at(gone, [this, &transfer, id, left = transfer.left] {
      if (transfer.id == id && transfer.left == left) leave_queue(transfer);
    });
  }
  ++in_flight_;
  ++transfer.under_way;
  const auto messages = static_cast<std::size_t>(messages_in(transfer));
  const std::size_t all = messages * transfer.from.bytes();
  simgrid::s4u::CommPtr comm = simgrid_compat::start_transfer(
      from, to, {.bytes = all, .passed = all - messages * waiting, .spent = transfer.spent},
      &transfer);
  if (transfer.id != id || transfer.arrived || transfer.failed) return;
  wire_queues_.depart(from, {transfer.source, transfer.destination}, id, comm,
                      messages * transfer.left);
  transfer.comms.push_back(std::move(comm));
}

// What has not departed never will.
void PostOffice::give_up(Transfer& transfer) {
  transfer.broken = true;
  transfer.left = 0;
  if (!transfer.in_line) return;
  if (Transfer* next = host_queues_[fabric_.host(transfer.source)].leave(transfer)) go(*next);
}

// What is left of it takes its turn behind those that wait, but for those of its own connection.
void PostOffice::leave_queue(Transfer& transfer) {
  const auto follows = [&](const Transfer* other) {
    return other->source == transfer.source && other->destination == transfer.destination;
  };
  Line<Transfer>& line = host_queues_[fabric_.host(transfer.source)];
  Transfer* next = transfer.left > 0 ? line.next_before(transfer, follows) : line.next(transfer.id);
  if (next != nullptr) go(*next);
}

void PostOffice::arrive(Transfer& transfer) {
  --in_flight_;
  --transfer.under_way;
  busy_until_ = simgrid::s4u::Engine::get_clock();
  if (!fabric_.host(transfer.source)->is_on() || !fabric_.host(transfer.destination)->is_on())
    give_up(transfer);
  end_if_all_are_done(transfer);
}

// Where links are faster than they were, or had no bandwidth, one may be before its time.
void PostOffice::end_if_all_are_done(Transfer& transfer) {
  if (transfer.under_way > 0) return;
  if (transfer.left > 0) return leave_queue(transfer);
  end(transfer, !transfer.broken);
}

void PostOffice::end(Transfer& transfer, bool arrived) {
  const simgrid::s4u::Host* from = fabric_.host(transfer.source);
  wire_queues_.end(from, {transfer.source, transfer.destination}, transfer.id);
  if (transfer.in_line) leave_queue(transfer);
  if (transfer.unasked) let_next_follow(transfer);
  arrived ? land(transfer) : fail(transfer);
}

void PostOffice::let_next_follow(const Transfer& transfer) {
  Transfer* next = connections_[{transfer.source, transfer.destination}].next(transfer.id);
  if (next == nullptr) return;
  next->saved = simgrid::s4u::Engine::get_clock() - next->posted;
  queue(*next);
}

}  // namespace tandem
