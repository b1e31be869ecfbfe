// How messages that have what they need leave their hosts, and end.

#include <algorithm>

#include "sim/post_office.h"
#include "sim/short_cut_failed.h"

namespace tandem {
namespace {

// A message that is asked for is announced by its first kilobyte, and the answer is a header.
constexpr std::size_t kAnnouncement = 1024, kAnswer = 80;

/// What a message of so many bytes takes to arrive when its last byte is there.
Seconds latency_of(const Path& path, std::size_t bytes) {
  const MessageTime time = path.parts(bytes);
  return time.latency + time.fixed;
}

/// Less what it has spent of its latency already.
void spend(MessageTime& time, Seconds spent) {
  const Seconds of_software = std::min(spent, time.fixed);
  time.fixed -= of_software;
  time.latency -= spent - of_software;
  time.alone -= spent;
}

}  // namespace

void PostOffice::start(Transfer& transfer) {
  if (transfer.begin < reserved_until_ - kTimingPrecision)
    throw ShortCutFailed(ShortCut::kFusing, reserved_reason_);
  if (fabric_.host(transfer.source) == fabric_.host(transfer.destination)) return land(transfer);
  if (trains_) return transfer.unasked ? depart_in_trains(transfer) : answer(transfer);
  if (!transfer.unasked) return depart(transfer);
  auto& connection = connections_[{transfer.source, transfer.destination}];
  connection.push_back(&transfer);
  if (connection.size() == 1) depart(transfer);
}

// It may end as it begins, because a link is off, and be another message when that is told.
void PostOffice::depart(Transfer& transfer) {
  simgrid::s4u::Host* from = fabric_.host(transfer.source);
  simgrid::s4u::Host* to = fabric_.host(transfer.destination);
  transfer.begin = simgrid::s4u::Engine::get_clock();
  MessageTime& time = transfer.time;
  const Seconds spent =
      transfer.unasked ? std::min(transfer.begin - transfer.posted, time.latency + time.fixed) : 0;
  spend(time, spent);
  ++in_flight_;
  if (!from->is_on() || !to->is_on()) return arrive(transfer);
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  const std::size_t bytes = transfer.from.bytes();
  const std::size_t passed =
      shapers_.begin(path, bytes, transfer.begin + time.latency + time.fixed);
  const auto messages = static_cast<std::size_t>(messages_in(transfer));
  const std::uint64_t id = transfer.id;
  simgrid::s4u::CommPtr comm = simgrid_compat::start_transfer(
      from, to, {.bytes = messages * bytes, .passed = messages * passed, .spent = spent},
      &transfer);
  if (transfer.id == id && !transfer.arrived && !transfer.failed) transfer.comm = std::move(comm);
}

void PostOffice::announce(int destination, Channel channel, Tag tag, const Post& send) {
  trains_->send({send.peer, destination},
                {.bytes = kAnnouncement,
                 .size = kAnnouncement,
                 .is_copied = false,
                 .latency = latency_of(fabric_.path(send.peer, destination), 1),
                 .arrived = [this, destination, channel, tag, there = send]() mutable {
                   there.at = simgrid::s4u::Engine::get_clock();
                   match(destination, channel, tag, there);
                 }});
}

void PostOffice::answer(Transfer& transfer) {
  trains_->send({transfer.destination, transfer.source},
                {.bytes = kAnswer,
                 .size = kAnswer,
                 .is_copied = false,
                 .latency = latency_of(fabric_.path(transfer.destination, transfer.source), 1),
                 .arrived = [this, &transfer] { depart_in_trains(transfer); }});
}

// The costs of one that is asked for were measured with its announcement and the answer.
void PostOffice::depart_in_trains(Transfer& transfer) {
  transfer.begin = simgrid::s4u::Engine::get_clock();
  ++in_flight_;
  MessageTime& time = transfer.time;
  std::size_t bytes = transfer.from.bytes();
  if (!transfer.unasked) {
    const Seconds announced = latency_of(fabric_.path(transfer.source, transfer.destination), 1);
    const Seconds answered = latency_of(fabric_.path(transfer.destination, transfer.source), 1);
    spend(time, std::min(announced + answered, time.latency + time.fixed));
    bytes -= std::min(bytes, kAnnouncement);
  }
  trains_->send({transfer.source, transfer.destination},
                {.bytes = static_cast<double>(bytes),
                 .size = transfer.from.bytes(),
                 .is_copied = true,
                 .latency = time.latency + time.fixed,
                 .arrived = [this, &transfer] { arrive(transfer); }});
}

void PostOffice::arrive(Transfer& transfer) {
  --in_flight_;
  busy_until_ = simgrid::s4u::Engine::get_clock();
  if (transfer.unasked && !trains_) let_next_follow(transfer);
  const bool is_lost =
      !fabric_.host(transfer.source)->is_on() || !fabric_.host(transfer.destination)->is_on();
  is_lost ? fail(transfer) : land(transfer);
}

void PostOffice::let_next_follow(const Transfer& transfer) {
  auto& connection = connections_[{transfer.source, transfer.destination}];
  connection.pop_front();
  if (!connection.empty()) depart(*connection.front());
}

}  // namespace tandem
