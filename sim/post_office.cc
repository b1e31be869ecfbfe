#include "sim/post_office.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/comm/left_over.h"

namespace tandem {
namespace {

std::uint64_t slot_key(int destination, Channel channel, Tag tag) {
  return static_cast<std::uint64_t>(destination) << 33 |
         static_cast<std::uint64_t>(channel == Channel::kCollective) << 32 |
         static_cast<std::uint32_t>(tag);
}

std::exception_ptr size_mismatch(int source, View from, View to) {
  return std::make_exception_ptr(
      std::logic_error(fmt::format("a receive of {} bytes met a message of {} bytes from rank {}",
                                   to.bytes(), from.bytes(), source)));
}

std::shared_ptr<SimOperation> posted(int peer, Waiter& waiter) {
  auto operation = std::make_shared<SimOperation>();
  operation->waiter = &waiter;
  operation->peer = peer;
  operation->unmatched = true;
  return operation;
}

}  // namespace

PostOffice::PostOffice(Fabric& fabric, std::vector<Recorder*> recorders, const Places& places,
                       bool by_trains, std::uint64_t seed)
    : fabric_(fabric),
      recorders_(std::move(recorders)),
      places_(places),
      left_(places.count(), false),
      unmet_(places.count(), 0) {
  if (by_trains) trains_.emplace(fabric, seed);
  simgrid_compat::on_comm_completion([](const simgrid::s4u::Activity& comm) {
    if (auto* passage = comm.get_data<Passage>()) passage->ended();
  });
}

PostOffice::Slot& PostOffice::slot(int destination, Channel channel, Tag tag) {
  return slots_[slot_key(destination, channel, tag)];
}

Handle PostOffice::send(int source, int destination, Channel channel, Tag tag, View view,
                        Waiter& waiter, const CollectiveRound& round) {
  require_member(destination);
  Post send{source,
            view,
            posted(destination, waiter),
            false,
            recorders_[source]->posted(),
            simgrid::s4u::Engine::get_clock()};
  send.posted.round = round;
  post(destination, channel, tag, send);
  return Handle(send.operation);
}

Handle PostOffice::send_in_turn(int source, int destination, Tag tag, View view, Waiter& waiter) {
  require_member(destination);
  recorders_[source]->take_turn(recorders_[source]->ask_for_turn(0));
  const TurnPost send{tag,
                      {source, view, posted(destination, waiter), true,
                       recorders_[source]->posted(), simgrid::s4u::Engine::get_clock()}};
  if (const auto admitted = turns_.admit({source, destination}, send))
    post(destination, Channel::kPointToPoint, tag, admitted->post);
  return Handle(send.post.operation);
}

// Of a folded job, whose members were to meet in collectives only.
void PostOffice::require_member(int place) const {
  if (place < -1 || place >= places_.count())
    throw std::logic_error("a message to or from a rank that another stands for");
}

int PostOffice::messages_in(const Transfer& transfer) const {
  return std::max(places_.stands_for(places_.rank(transfer.source)),
                  places_.stands_for(places_.rank(transfer.destination)));
}

void PostOffice::post(int destination, Channel channel, Tag tag, const Post& send) {
  if (fabric_.goes_unasked(send.peer, destination, send.view.bytes()))
    return post_unasked(destination, channel, tag, send);
  if (trains_ && fabric_.host(send.peer) != fabric_.host(destination))
    return announce(destination, channel, tag, send);
  match(destination, channel, tag, send);
}

void PostOffice::match(int destination, Channel channel, Tag tag, const Post& send) {
  Slot& here = slot(destination, channel, tag);
  const auto receive = find_receive(here, send.peer);
  if (receive == here.receives.end()) {
    here.sends.push_back(send);
    return;
  }
  Transfer& transfer = prepare(destination, channel, tag, send);
  const Post other = *receive;
  here.receives.erase(receive);
  if (meet(transfer, other)) start(transfer);
}

// To start a transfer lets other actors run, which may post their sides, and to complete the send
// may wake one: so these come last. An any-receive takes what arrives first.
void PostOffice::post_unasked(int destination, Channel channel, Tag tag, const Post& send) {
  Transfer& transfer = prepare_unasked(destination, channel, tag, send);
  Slot& here = slot(destination, channel, tag);
  const auto receive = find_receive(here, send.peer);
  bool fits = true;
  if (receive == here.receives.end() || receive->peer == kAnyPeer) {
    here.sends.push_back(send);
    here.sends.back().under_way = &transfer;
    ++unmet_[destination];
  } else {
    const Post other = *receive;
    here.receives.erase(receive);
    fits = meet(transfer, other);
  }
  const std::shared_ptr<SimOperation> sent = transfer.send;
  if (fits) start(transfer);
  sent->complete();
  if (send.in_turn) let_follow({send.peer, destination});
}

boost::container::small_vector<PostOffice::Post, 1>::iterator PostOffice::find_receive(Slot& slot,
                                                                                       int source) {
  return std::ranges::find_if(slot.receives, [&](const Post& receive) {
    return receive.peer == source || receive.peer == kAnyPeer;
  });
}

// What follows may arrive at once, inside a host, and free the way for the next: a loop, since
// actors have small stacks.
void PostOffice::let_follow(const Way& way) {
  freed_.push_back(way);
  if (freed_.size() > 1) return;
  for (std::size_t i = 0; i < freed_.size(); ++i) {
    const Way freed = freed_[i];
    if (const auto next = turns_.arrived(freed))
      post(freed.destination, Channel::kPointToPoint, next->tag, next->post);
  }
  freed_.clear();
}

Handle PostOffice::receive(int destination, int source, Channel channel, Tag tag, View view,
                           Waiter& waiter, const CollectiveRound& round) {
  require_member(source);
  Slot& here = slot(destination, channel, tag);
  Post receive{source, view, posted(source, waiter), false, recorders_[destination]->posted()};
  receive.posted.round = round;
  const auto match = find_send(here, source);
  if (match == here.sends.end()) {
    here.receives.push_back(receive);
    return Handle(receive.operation);
  }
  const Post send = *match;
  here.sends.erase(match);
  if (send.under_way == nullptr) {
    Transfer& transfer = prepare(destination, channel, tag, send);
    if (meet(transfer, receive)) start(transfer);
    return Handle(receive.operation);
  }
  --unmet_[destination];
  if (meet(*send.under_way, receive) && send.under_way->arrived) deliver(*send.under_way);
  return Handle(receive.operation);
}

// An any-receive takes what was there first; of one source only the first, there or not.
boost::container::small_vector<PostOffice::Post, 1>::iterator PostOffice::find_send(Slot& slot,
                                                                                    int source) {
  if (source != kAnyPeer) return std::ranges::find(slot.sends, source, &Post::peer);
  if (fabric_.calibration().eager_bytes == 0) return slot.sends.begin();  // all are there
  const auto there_since = [](const Post& send) {
    if (send.under_way == nullptr) return send.at;
    return send.under_way->arrived ? send.under_way->end : kForever;
  };
  auto first = slot.sends.end();
  for (auto send = slot.sends.begin(); send != slot.sends.end(); ++send) {
    const auto same = std::ranges::find(slot.sends.begin(), send, send->peer, &Post::peer);
    if (same != send || there_since(*send) == kForever) continue;
    if (first == slot.sends.end() || there_since(*send) < there_since(*first)) first = send;
  }
  return first;
}

PostOffice::Transfer& PostOffice::prepare(int destination, Channel channel, Tag tag,
                                          const Post& send) {
  Transfer& transfer = fresh_transfer();
  transfer.source = send.peer;
  transfer.destination = destination;
  transfer.of_collective = channel == Channel::kCollective;
  transfer.tag = tag;
  transfer.in_turn = send.in_turn;
  transfer.unasked = transfer.arrived = transfer.failed = false;
  transfer.from = send.view;
  transfer.posted = transfer.begin = simgrid::s4u::Engine::get_clock();
  transfer.iteration = recorders_[send.peer]->iteration();
  transfer.time = fabric_.path(send.peer, destination).parts(send.view.bytes());
  transfer.id = ++carried_;
  transfer.sent = send.posted;
  transfer.send = send.operation;
  transfer.send->unmatched = false;
  return transfer;
}

PostOffice::Transfer& PostOffice::prepare_unasked(int destination, Channel channel, Tag tag,
                                                  const Post& send) {
  Transfer& transfer = prepare(destination, channel, tag, send);
  transfer.unasked = true;
  transfer.in_turn = false;
  const View& from = transfer.from;
  if (from.has_data()) transfer.kept.assign(from.data, from.data + from.bytes());
  if (!transfer.of_collective)
    transfer.send->moved = {Moved::What::kSent, from.bytes(), messages_in(transfer), 0};
  return transfer;
}

bool PostOffice::meet(Transfer& transfer, const Post& receive) {
  receive.operation->unmatched = false;
  receive.operation->peer = transfer.source;
  const bool fits = transfer.from.bytes() == receive.view.bytes();
  if (fits && !transfer.failed) {
    transfer.to = receive.view;
    transfer.received = receive.posted;
    transfer.from_any = receive.peer == kAnyPeer;
    transfer.receive = receive.operation;
    return true;
  }
  receive.operation->complete(fits
                                  ? std::make_exception_ptr(PeerLost(places_.rank(transfer.source)))
                                  : size_mismatch(transfer.source, transfer.from, receive.view));
  if (transfer.unasked) {  // if it is under way it is kept as long as the job lasts
    if (transfer.arrived || transfer.failed) recycle(transfer);
    return false;
  }
  transfer.send->complete();
  recycle(transfer);
  return false;
}

void PostOffice::fail(Transfer& transfer) {
  transfer.failed = true;
  if (!transfer.unasked)
    transfer.send->complete(std::make_exception_ptr(PeerLost(places_.rank(transfer.destination))));
  if (!transfer.receive) return;  // which will find out
  transfer.receive->complete(std::make_exception_ptr(PeerLost(places_.rank(transfer.source))));
  recycle(transfer);
}

MessageMark PostOffice::mark_of(const Transfer& transfer, const Posted& side) {
  return {.id = transfer.id,
          .position = side.position,
          .time = transfer.time,
          .unasked = transfer.unasked,
          .tag = transfer.tag,
          .task = side.task,
          .round = side.round,
          .order = side.order};
}

/// Whether `side` of a message is recorded.
bool PostOffice::is_shown(const Transfer& transfer, const Posted& side) {
  return !transfer.of_collective || side.round.collective != 0;
}

void PostOffice::land(Transfer& transfer) {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  const Path& path = fabric_.path(transfer.source, transfer.destination);
  const std::size_t bytes = transfer.from.bytes();
  fabric_.loads().add(path.links, std::min(now, transfer.begin + transfer.time.latency), now,
                      static_cast<double>(bytes) * messages_in(transfer));
  transfer.arrived = true;
  transfer.end = now;
  if (is_shown(transfer, transfer.sent)) {
    MessageMark mark = mark_of(transfer, transfer.sent);
    mark.iteration = transfer.iteration;
    mark.turn = transfer.sent.turn;
    recorders_[transfer.source]->communicated("send", transfer.begin, now, bytes,
                                              places_.rank(transfer.destination), mark);
  }
  if (transfer.receive || is_met(transfer)) deliver(transfer);
}

// By an any-receive that has waited for whatever arrives.
bool PostOffice::is_met(Transfer& transfer) {
  const Channel channel = transfer.of_collective ? Channel::kCollective : Channel::kPointToPoint;
  Slot& here = slot(transfer.destination, channel, transfer.tag);
  const auto receive = find_receive(here, transfer.source);
  if (receive == here.receives.end()) return false;
  const auto send = std::ranges::find(here.sends, &transfer, &Post::under_way);
  if (send == here.sends.end()) return false;  // it was refused
  const Post other = *receive;
  here.receives.erase(receive);
  here.sends.erase(send);
  --unmet_[transfer.destination];
  return meet(transfer, other);
}

void PostOffice::deliver(Transfer& transfer) {
  const View& from = transfer.from;
  const View& to = transfer.to;
  const std::size_t bytes = from.bytes();
  // Who has given up may have freed its memory.
  if (!transfer.unasked && transfer.send->given_up) return fail(transfer);
  if (from.has_data() && to.has_data() && bytes > 0 && !transfer.receive->given_up)
    std::memmove(to.data, transfer.unasked ? transfer.kept.data() : from.data, bytes);
  const int messages = messages_in(transfer);
  Recorder& destination = *recorders_[transfer.destination];
  if (is_shown(transfer, transfer.received)) {
    MessageMark mark = mark_of(transfer, transfer.received);
    mark.from_any = transfer.from_any;
    destination.communicated("receive", transfer.begin, transfer.end, bytes,
                             places_.rank(transfer.source), mark);
  }
  if (!transfer.of_collective) {
    transfer.receive->moved = {Moved::What::kReceived, bytes, messages, transfer.id};
    if (!transfer.unasked)
      transfer.send->moved = {Moved::What::kSent, bytes, messages, transfer.id};
  }
  if (!transfer.unasked) transfer.send->complete();
  transfer.receive->complete();
  recycle(transfer);
}

// Its comm stays until the next use: the kernel still works on it when it reports its completion.
void PostOffice::recycle(Transfer& transfer) {
  transfer.send.reset();
  transfer.receive.reset();
  if (transfer.in_turn) let_follow({transfer.source, transfer.destination});
  free_.push_back(&transfer);
}

PostOffice::Transfer& PostOffice::fresh_transfer() {
  if (free_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>(*this));
    return *transfers_.back();
  }
  Transfer& transfer = *free_.back();
  free_.pop_back();
  return transfer;
}

void PostOffice::leave(int rank) {
  if (left_[rank]) return;
  left_[rank] = true;
  ++left_count_;
  for (const MemberWaiter& member : waiters_) {
    const auto lost = [&](const Handle& handle) {
      return !handle.empty() && unreachable(member.rank, *operation_of(handle));
    };
    if (std::ranges::any_of(member.waiter->waiting_for(), lost)) member.waiter->wake();
  }
}

bool PostOffice::unreachable(int self, const SimOperation& operation) const {
  if (!operation.unmatched || unmet_[self] > 0) return false;
  if (operation.peer != kAnyPeer) return left_[operation.peer];
  return left_count_ - (left_[self] ? 1 : 0) == places_.count() - 1;
}

std::string PostOffice::left_over() const {
  std::string first;  // in an order that does not depend on the table's
  std::uint64_t first_key = std::numeric_limits<std::uint64_t>::max();
  const auto kept = [](const Post& post) { return !post.operation->given_up; };
  for (const auto& [key, slot] : slots_) {
    if (key > first_key) continue;
    const int rank = places_.rank(static_cast<int>(key >> 33));
    const auto tag = static_cast<Tag>(key & 0xffffffffU);
    const auto send = std::ranges::find_if(slot.sends, kept);
    const auto receive = std::ranges::find_if(slot.receives, kept);
    if (send != slot.sends.end()) {
      first = unreceived(rank, places_.rank(send->peer), tag, send->view.bytes());
    } else if (receive != slot.receives.end()) {
      first = unmet(rank, places_.rank(receive->peer), tag);
    } else {
      continue;
    }
    first_key = key;
  }
  return first;
}

void PostOffice::reserve(Seconds until, std::string reason) {
  reserved_until_ = std::max(reserved_until_, until);
  reserved_reason_ = std::move(reason);
}

}  // namespace tandem
