#include "sim/train_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/network/segments.h"
#include "core/network/waiting.h"
#include "sim/burst.h"
#include "sim/changing_links.h"
#include "sim/processor.h"

namespace tandem {
namespace {

constexpr std::uint64_t kMessageStream = std::uint64_t{6} << 32U;

/// In bytes.
double window_of(const Calibration& calibration) {
  if (calibration.window_bytes == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::max(calibration.window_bytes, std::size_t{kSegmentBytes}));
}

Seconds now() {
  return simgrid::s4u::Engine::get_clock();
}

}  // namespace

bool TrainNetwork::fits(const Engine& engine) {
  return engine.calibration().train_bytes > 0 &&
         std::ranges::all_of(engine.links(), [](const simgrid::s4u::Link* link) {
           return link->is_shared() && burst_of(*link) > 0 && !may_change(*link);
         });
}

TrainNetwork::TrainNetwork(Fabric& fabric, std::uint64_t seed)
    : fabric_(fabric),
      train_(static_cast<double>(fabric.calibration().train_bytes)),
      window_(window_of(fabric.calibration())),
      small_(fabric.calibration().messages.latency(1)),
      slice_(fabric.calibration().polling_slice()),
      waking_(fabric.calibration().waking()),
      late_(fabric.calibration().shaper_lateness(fabric.calibrated_link())),
      awake_until_(fabric.members(), kStaysAwake),
      random_(seed, kMessageStream) {
  std::set<const simgrid::s4u::Host*> hosts;
  for (int rank = 0; rank < fabric.members(); ++rank) hosts.insert(fabric.host(rank));
  for (const simgrid::s4u::Host* host : hosts)
    if (const std::string processor = processor_of(*host); !processor.empty())
      ++processors_[processor].hosts;
}

TrainNetwork::Connection& TrainNetwork::connection(Way way) {
  const auto known = connections_.find(way);
  if (known != connections_.end()) return known->second;
  Connection made{.there = shapers_of(fabric_.path(way.source, way.destination)),
                  .back = shapers_of(fabric_.path(way.destination, way.source)),
                  .from = &copier(way.source, true),
                  .to = &copier(way.destination, false),
                  .source = way.source,
                  .destination = way.destination,
                  .landed = &landed_[fabric_.host(way.destination)]};
  for (const Shaper* shaper : made.there) made.burst = std::min(made.burst, shaper->depth);
  made.train = made.there.empty() ? train_ : train_into(*made.there.front());
  // What larger messages took the calibrated hosts has the wait for one of their wires in it.
  made.at_once = &at_once(std::min(made.burst, fabric_.calibrated_link().burst));
  return connections_.emplace(way, std::move(made)).first->second;
}

// Nearly all links have the same burst, and lines are fitted once for all their connections.
const TrainNetwork::AtOnce& TrainNetwork::at_once(double burst) {
  const auto [entry, is_new] = at_once_.try_emplace(burst);
  if (is_new) {
    const auto bytes = static_cast<std::size_t>(burst);
    const Calibration& calibration = fabric_.calibration();
    entry->second = {calibration.busy_up_to(bytes), calibration.spread_up_to(bytes)};
  }
  return entry->second;
}

// A host makes none that its own wire has to cut: of whole segments, and of the burst as large a
// part as calibrated ones are.
double TrainNetwork::train_into(const Shaper& shaper) const {
  if (shaper.depth >= train_) return train_;
  const double part = train_ / std::max(train_, fabric_.calibrated_link().burst);
  return kSegmentBytes * std::max(1.0, std::floor(part * shaper.depth / kSegmentBytes));
}

std::vector<TrainNetwork::Shaper*> TrainNetwork::shapers_of(const Path& path) {
  std::vector<Shaper*> shapers;
  for (const simgrid::s4u::Link* link : path.shared_links) {
    const double depth = std::max<double>(kSegmentBytes, burst_of(*link));
    const Shaper full{.bandwidth = link->get_bandwidth(), .depth = depth, .tokens = depth};
    shapers.push_back(&shapers_.try_emplace(link, full).first->second);
  }
  return shapers;
}

TrainNetwork::Copier& TrainNetwork::copier(int rank, bool sends) {
  const simgrid::s4u::Host* host = fabric_.host(rank);
  const std::string processor = processor_of(*host);
  return processor.empty() ? (sends ? sent_by_ : taken_by_)[host] : processors_[processor];
}

void TrainNetwork::send(Way way, Message message) {
  constexpr int kFragmentsAtOnce = 3;
  const Path& path = fabric_.path(way.source, way.destination);
  message.bytes = std::max(1.0, message.bytes);  // of nothing, its header
  const double tokens = 1 + path.bandwidth * path.costs->seconds_per_byte(message.size);
  // A byte's time is its sender's, then its receiver's, and the rest nobody's.
  const double of_byte = message.is_copied ? path.costs->least_seconds_per_byte(message.size) : 0;
  Connection& connection = this->connection(way);
  const BusyEnds& busy = connection.at_once->busy;
  const double sending = std::min(busy.sender_per_byte, of_byte);
  const double receiving = std::min(busy.receiver_per_byte, of_byte - sending);
  // Both ends can't copy at a time on a processor that they share, beside what a message takes.
  const double in_turn = message.is_copied && connection.to->hosts > 1
                             ? busy.sharing_receiver_per_byte - busy.receiver_per_byte
                             : 0;
  message.latency += (connection.at_once->spread.draw(random_) - 1) * small_;
  // Of a message that was beyond the burst when it was measured, the latency holds what copying
  // takes while no wire is waited for, and by how much shapers are late.
  const auto size = static_cast<double>(message.size);
  if (size > fabric_.calibrated_link().burst) {
    message.latency -= std::min(connection.train, message.bytes) * (sending + receiving) + late_;
  } else if (size <= connection.burst) {
    message.latency += message.bytes * (of_byte - sending - receiving);
  }
  message.latency = std::max(0.0, message.latency);
  const auto passing =
      std::make_shared<Passing>(Passing{std::move(message), tokens, sending, receiving + in_turn});
  for (int i = 0; i < kFragmentsAtOnce; ++i) add_fragment(connection, passing);
  advance(connection, true);
}

void TrainNetwork::add_fragment(Connection& connection, const std::shared_ptr<Passing>& passing) {
  constexpr double kFragment = 128 << 10U;
  const double bytes = std::min(kFragment, passing->message.bytes - passing->added);
  if (bytes <= 0) return;
  Copier& sender = *connection.from;
  const Seconds first =
      passing->added == 0 ? busy_with(*passing, sender, connection.at_once->busy.sender) : 0;
  const Seconds begun = std::max(now(), sender.busy_until) + first;
  sender.busy_until = begun + bytes * passing->sending;
  sender.last = connection.source;
  awake_until_[connection.source] = begun + kStaysAwake;
  passing->added += bytes;
  connection.fragments.push_back({.of = passing, .bytes = bytes, .begun = begun});
}

Seconds TrainNetwork::busy_with(Passing& passing, const Copier& copier, Seconds most) {
  const Seconds busy = copier.hosts > 0 ? std::min(most, passing.message.latency) : 0;
  passing.message.latency -= busy;
  return busy;
}

void TrainNetwork::advance(Connection& connection, bool is_written) {
  connection.once_more = true;
  if (connection.gives_out) return;
  connection.gives_out = true;
  for (; std::exchange(connection.once_more, false); is_written = false) {
    auto& fragments = connection.fragments;
    while (!fragments.empty() && fragments.front().landed >= fragments.front().bytes)
      fragments.pop_front();
    give_out(connection, is_written);
  }
  connection.gives_out = false;
}

bool TrainNetwork::waits_for_room(const Connection& connection, double left) const {
  constexpr Seconds kLongAgo = 1e-3;
  if (connection.on_the_way == 0) return false;
  const double room = window_ - connection.on_the_way;
  if (room < std::min<double>(left, kSegmentBytes)) return true;
  if (room >= std::min(connection.train, window_ / 3)) return false;
  if (now() - connection.last_added > kLongAgo) return false;
  return now() - connection.added.front() >= connection.round_trip / 2;
}

double TrainNetwork::next_train(const Connection& connection, double left, bool is_written) const {
  if (connection.queued > 2 * connection.train) return 0;
  if (is_written && left < connection.train && connection.queued > left) return 0;
  if (waits_for_room(connection, left)) return 0;
  return std::min(left, window_ - connection.on_the_way);
}

TrainNetwork::Written TrainNetwork::next_written(const Connection& connection) const {
  Written next;
  for (const Fragment& fragment : connection.fragments) {
    const double left = fragment.bytes - fragment.sent;
    if (left == 0) continue;
    const bool is_begun = fragment.begun < now() - kTimingPrecision;
    if (next.bytes == connection.train || (next.bytes > 0 && !is_begun)) break;
    const double taken = std::min(left, connection.train - next.bytes);
    next.bytes += taken;
    next.copied = fragment.begun + (fragment.sent + taken) * fragment.of->sending;
  }
  return next;
}

void TrainNetwork::give_out(Connection& connection, bool is_written) {
  while (!connection.waits_for_copy) {
    const Written next = next_written(connection);
    if (next.bytes == 0) return;
    if (next.copied > now() + kTimingPrecision) {
      connection.waits_for_copy = true;
      return simgrid_compat::at(next.copied, [this, &connection] {
        connection.waits_for_copy = false;
        advance(connection, true);
      });
    }
    const double bytes = next_train(connection, next.bytes, is_written);
    if (bytes == 0) return;
    forward(take(connection, bytes));
  }
}

TrainNetwork::Train TrainNetwork::take(Connection& connection, double bytes) {
  Train train{.connection = &connection, .bytes = bytes, .tokens = 0, .acknowledges = false};
  double left = bytes;
  for (std::size_t i = 0; left > 0; ++i) {
    Fragment& fragment = connection.fragments[i];
    const double taken = std::min(left, fragment.bytes - fragment.sent);
    if (taken == 0) continue;
    left -= taken;
    fragment.sent += taken;
    train.tokens += taken * fragment.of->tokens;
    if (fragment.sent == fragment.bytes) add_fragment(connection, fragment.of);
  }
  connection.on_the_way += bytes;
  connection.added.push_back(now());
  connection.last_added = now();
  return train;
}

void TrainNetwork::forward(Train train) {
  const auto& way = train.acknowledges ? train.connection->back : train.connection->there;
  if (train.hops == way.size()) return land(train);
  if (train.hops == 0 && !train.acknowledges) train.connection->queued += train.bytes;
  Shaper& next = *way[train.hops];
  train.is_cut = train.is_cut || (!train.acknowledges && train.bytes > next.depth);
  next.queue.push_back(train);
  if (!next.is_busy) pass(next, now());
}

// What waited was due when its tokens were there: those that come while it is late count too, up to
// the depth.
void TrainNetwork::pass(Shaper& shaper, Seconds due) {
  shaper.is_busy = true;
  for (; !shaper.queue.empty(); due = now()) {
    shaper.tokens = std::min(shaper.depth, shaper.tokens + (due - shaper.since) * shaper.bandwidth);
    shaper.since = due;
    Train& first = shaper.queue.front();
    const double needed = first.is_cut ? first.tokens_of_segment() : first.tokens;
    const double missing = std::min(needed, shaper.depth) - shaper.tokens;
    const Seconds all_there = due + missing / shaper.bandwidth;
    if (all_there > due + kTimingPrecision)
      return simgrid_compat::at(all_there + late_,
                                [this, &shaper, all_there] { pass(shaper, all_there); });
    Train train = first.is_cut ? first.take_segments(shaper.tokens) : std::exchange(first, {});
    shaper.tokens -= train.tokens;
    if (first.bytes == 0) shaper.queue.pop_front();
    const bool leaves_its_host = train.hops++ == 0 && !train.acknowledges;
    if (leaves_its_host) train.connection->queued -= train.bytes;
    forward(train);
    if (leaves_its_host) advance(*train.connection, false);
  }
  shaper.is_busy = false;
}

double TrainNetwork::Train::tokens_of_segment() const {
  return bytes > kSegmentBytes ? tokens * kSegmentBytes / bytes : tokens;
}

TrainNetwork::Train TrainNetwork::Train::take_segments(double available) {
  constexpr double kRounding = 1e-6;  // of a segment
  const double segments = std::max(1.0, std::floor(available / tokens_of_segment() + kRounding));
  if (segments * kSegmentBytes >= bytes) return std::exchange(*this, {});
  Train taken = *this;
  taken.bytes = segments * kSegmentBytes;
  taken.tokens = segments * tokens_of_segment();
  taken.goes_on = true;
  tokens -= taken.tokens;
  bytes -= taken.bytes;
  return taken;
}

// What was cut lands when all of it is there.
void TrainNetwork::land(Train train) {
  Connection& connection = *train.connection;
  if (train.acknowledges) {
    connection.on_the_way -= train.bytes;
    const Seconds took = now() - connection.added.front();
    connection.added.pop_front();
    Seconds& usual = connection.round_trip;
    usual = usual == 0 ? took : usual + (took - usual) / 8;
    return advance(connection, false);
  }
  connection.landing += train.bytes;
  if (train.goes_on) return;
  train.bytes = std::exchange(connection.landing, 0);
  give(*connection.to, connection.destination, wake(connection.destination));
  double left = train.bytes;
  for (Fragment& fragment : connection.fragments) {
    const double landed = std::min(left, fragment.bytes - fragment.landed);
    left -= landed;
    fragment.landed += landed;
    if (landed > 0) land(connection, *fragment.of, landed);
    if (left == 0) break;
  }
  const Train acknowledgement{
      .connection = &connection, .bytes = train.bytes, .tokens = 0, .acknowledges = true};
  const Seconds read = std::max(now(), connection.to->busy_until);
  connection.last_read =
      std::max(connection.last_read,
               read + connection.at_once->spread.draw(random_) * connection.at_once->busy.receiver);
  if (connection.last_read <= now() + kTimingPrecision) return forward(acknowledgement);
  simgrid_compat::at(connection.last_read, [this, acknowledgement] { forward(acknowledgement); });
}

Seconds TrainNetwork::wake(int rank) {
  const Seconds awake = now() + (now() > awake_until_[rank] ? waking_ : 0);
  awake_until_[rank] = awake + kStaysAwake;
  return awake;
}

void TrainNetwork::give(Copier& processor, int rank, Seconds ready) {
  const Seconds given_away = processor.busy_until + slice_;
  const bool is_in_use = now() < given_away;
  const bool has_it = is_in_use && processor.last == rank;
  processor.last = rank;
  processor.busy_until = std::max(processor.busy_until, ready);
  if (processor.hosts < 2 || slice_ == 0 || has_it) return;
  const int others = processor.hosts - (is_in_use ? 2 : 1);
  processor.busy_until = std::max(ready, given_away) + random_.open_uniform() * others * slice_;
}

void TrainNetwork::land(Connection& connection, Passing& passing, double bytes) {
  Seconds& busy_until = connection.to->busy_until;
  const Seconds begun = std::max(busy_until, now());
  busy_until = begun + bytes * passing.receiving;
  passing.landed += bytes;
  if (passing.landed < passing.message.bytes) return;
  busy_until += busy_with(passing, *connection.to, connection.at_once->busy.receiver);
  arrive(connection, passing.message, begun, busy_until);
}

void TrainNetwork::arrive(Connection& connection, Message& message, Seconds begun, Seconds done) {
  std::vector<Landed>& landed = *connection.landed;
  landed.push_back({&connection, message.latency, std::move(message.arrived)});
  const auto begin = [&landed, done] {
    const auto first = std::ranges::min_element(
        landed, {}, [](const Landed& one) { return one.connection->source; });
    Seconds& last = first->connection->last_arrived;  // what it takes differs, but not their order
    last = std::max(last, done + first->latency);
    simgrid_compat::at(last, std::move(first->arrived));
    landed.erase(first);
  };
  begun > now() + kTimingPrecision ? simgrid_compat::at(begun, begin) : begin();
}

}  // namespace tandem
