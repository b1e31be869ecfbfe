// How messages that have what they need leave their hosts, and end.

#include <algorithm>
#include <cmath>

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
  if (!transfer.in_line || host_queues_[from].admit(transfer)) depart(transfer);
}

// Of its bytes, in whole trains, those that shapers let through at once and those that the queue
// has room for then. What is left goes on beside those in line behind it.
double PostOffice::before_next(const Transfer& transfer) {
  const auto bytes = static_cast<double>(transfer.from.bytes());
  const double at_once = shapers_.in_trains(bytes, static_cast<double>(transfer.at_once));
  return std::min(bytes, at_once + wire_queues_.room(leaving_bandwidth(transfer)));
}

Seconds PostOffice::leaves_line(const Transfer& transfer) {
  const double bandwidth = leaving_bandwidth(transfer);
  if (bandwidth == 0) return kForever;
  const double waiting = before_next(transfer) - static_cast<double>(transfer.at_once);
  return transfer.begin + std::max(0.0, waiting) / bandwidth;
}

// A message's last bytes that the queue has no room for find some when all that wait are in it, and
// leave behind them.
void PostOffice::let_pass(const Line<Transfer>& waiting, Transfer& transfer) {
  if (before_next(transfer) == static_cast<double>(transfer.from.bytes())) return;
  Seconds passed = simgrid::s4u::Engine::get_clock();
  for (const Transfer* other : waiting)
    if (const double bandwidth = leaving_bandwidth(*other); bandwidth > 0)
      passed += static_cast<double>(other->from.bytes()) / bandwidth;
  transfer.ends_after = passed + transfer.time.latency + transfer.time.fixed;
}

void PostOffice::leave_queue(const simgrid::s4u::Host* host, std::uint64_t id) {
  if (Transfer* next = host_queues_[host].next(id)) depart(*next);
}

void PostOffice::depart(Transfer& transfer) {
  simgrid::s4u::Host* from = fabric_.host(transfer.source);
  simgrid::s4u::Host* to = fabric_.host(transfer.destination);
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  const std::size_t bytes = transfer.from.bytes();
  transfer.begin = simgrid::s4u::Engine::get_clock();
  MessageTime& time = transfer.time;
  const Seconds spent = std::min(transfer.saved, time.latency + time.fixed);
  const Seconds of_software = std::min(spent, time.fixed);
  time.fixed -= of_software;
  time.latency -= spent - of_software;
  time.alone -= spent;
  const Seconds on_the_wire = transfer.begin + time.latency + time.fixed;
  transfer.at_once = shapers_.begin(path, bytes, on_the_wire);
  if (transfer.in_line) {
    const Seconds leaves = leaves_line(transfer);
    if (std::isfinite(leaves))
      simgrid_compat::at(leaves, [this, from, &transfer, id = transfer.id] {
        if (transfer.id == id) let_pass(host_queues_[from], transfer);
        leave_queue(from, id);
      });
  }
  if (!from->is_on() || !to->is_on()) return end(transfer, false);
  ++in_flight_;
  const auto messages = static_cast<std::size_t>(messages_in(transfer));
  transfer.comm = simgrid_compat::start_transfer(
      from, to, {.bytes = messages * bytes, .passed = transfer.at_once, .spent = spent}, &transfer);
  wire_queues_.depart(from, {transfer.source, transfer.destination}, transfer.id, transfer.comm);
}

void PostOffice::arrive(Transfer& transfer) {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  if (transfer.ends_after > now)
    return simgrid_compat::at(transfer.ends_after, [this, &transfer] { arrive(transfer); });
  --in_flight_;
  busy_until_ = now;
  end(transfer,
      fabric_.host(transfer.source)->is_on() && fabric_.host(transfer.destination)->is_on());
}

void PostOffice::end(Transfer& transfer, bool arrived) {
  const simgrid::s4u::Host* from = fabric_.host(transfer.source);
  wire_queues_.end(from, {transfer.source, transfer.destination}, transfer.id);
  // Where links are faster than they were, or had no bandwidth.
  if (transfer.in_line) leave_queue(from, transfer.id);
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
