// How messages that have what they need leave their hosts, and end.

#include <algorithm>
#include <cmath>

#include "core/base/interpolate.h"
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

void PostOffice::depart_when_answered(Transfer& transfer) {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  Seconds answered = std::max(now, transfer.announced);
  if (!transfer.of_collective) {
    answered +=
        wire_queues_.wait(fabric_.host(transfer.destination), fabric_.host(transfer.source));
    if (!sooner_one_way_.empty() && asked_.has_none(transfer.source, transfer.destination))
      transfer.saved = interpolate(sooner_one_way_, transfer.from.bytes());
  }
  if (answered <= now) return queue(transfer);
  ++in_flight_;  // to whoever asks meanwhile
  simgrid_compat::at(answered, [this, &transfer] {
    --in_flight_;
    queue(transfer);
  });
}

WireQueues::Message PostOffice::leaving(const Transfer& transfer) {
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  const std::size_t bytes = transfer.from.bytes();
  return {.id = transfer.id,
          .from = fabric_.host(transfer.source),
          .to = fabric_.host(transfer.destination),
          .bytes = bytes,
          .begin = simgrid::s4u::Engine::get_clock(),
          .bandwidth = 1 / (1 / path.first_bandwidth + path.costs->seconds_per_byte(bytes)),
          .comm = transfer.comm};
}

// Of those that are asked for, all that a host's queue has room for.
bool PostOffice::is_in_line(const Transfer& transfer) {
  if (transfer.unasked || transfer.of_collective) return transfer.unasked;
  const auto bytes = static_cast<double>(transfer.from.bytes());
  return bytes <= wire_queues_.held(leaving(transfer).bandwidth);
}

void PostOffice::queue(Transfer& transfer) {
  transfer.in_line = is_in_line(transfer);
  if (!transfer.in_line || host_queues_[fabric_.host(transfer.source)].admit(transfer))
    return depart(transfer);
  if (!transfer.unasked) wire_queues_.begin(leaving(transfer));
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
  const std::size_t at_once = shapers_.begin(path, bytes, on_the_wire);
  const double bandwidth = leaving(transfer).bandwidth;
  if (transfer.in_line) {
    const std::size_t left = bytes - at_once, most = fabric_.calibration().queued_bytes;
    const bool is_in_queue = most == 0 || left <= most;
    const Seconds gone = transfer.begin + (is_in_queue ? static_cast<double>(left) / bandwidth : 0);
    if (std::isfinite(gone))
      simgrid_compat::at(gone, [this, from, id = transfer.id] { leave_queue(from, id); });
    if (!transfer.unasked) asked_.written(transfer.source);
  }
  if (!from->is_on() || !to->is_on()) return end(transfer, false);
  ++in_flight_;
  const auto messages = static_cast<std::size_t>(messages_in(transfer));
  transfer.comm = simgrid_compat::start_transfer(
      from, to, {.bytes = messages * bytes, .passed = at_once, .spent = spent}, &transfer);
  wire_queues_.begin(leaving(transfer));
}

void PostOffice::arrive(Transfer& transfer) {
  --in_flight_;
  wire_queues_.end(fabric_.host(transfer.source), transfer.id);
  busy_until_ = simgrid::s4u::Engine::get_clock();
  end(transfer,
      fabric_.host(transfer.source)->is_on() && fabric_.host(transfer.destination)->is_on());
}

void PostOffice::end(Transfer& transfer, bool arrived) {
  if (transfer.in_line)  // where links are slower than they were
    leave_queue(fabric_.host(transfer.source), transfer.id);
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
