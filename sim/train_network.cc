#include "sim/train_network.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/burst.h"
#include "sim/changing_links.h"

namespace tandem {
namespace {

/// Of what is done for a message: so much at either end.
constexpr double kOfEither = 0.5;

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

TrainNetwork::TrainNetwork(Fabric& fabric, std::size_t train_bytes, std::size_t window_bytes)
    : fabric_(fabric),
      train_(static_cast<double>(train_bytes)),
      window_(window_bytes > 0 ? static_cast<double>(window_bytes)
                               : std::numeric_limits<double>::infinity()) {}

TrainNetwork::Connection& TrainNetwork::connection(Way way) {
  const auto known = connections_.find(way);
  if (known != connections_.end()) return known->second;
  Connection made{.there = shapers_of(fabric_.path(way.source, way.destination)),
                  .back = shapers_of(fabric_.path(way.destination, way.source)),
                  .from = end(way.source, true),
                  .to = end(way.destination, false)};
  for (const Shaper* shaper : made.there) made.burst = std::min(made.burst, shaper->depth);
  return connections_.emplace(way, std::move(made)).first->second;
}

std::vector<TrainNetwork::Shaper*> TrainNetwork::shapers_of(const Path& path) {
  std::vector<Shaper*> shapers;
  for (const simgrid::s4u::Link* link : path.shared_links) {
    const double depth = std::max(train_, burst_of(*link));
    const Shaper full{.bandwidth = link->get_bandwidth(), .depth = depth, .tokens = depth};
    shapers.push_back(&shapers_.try_emplace(link, full).first->second);
  }
  return shapers;
}

TrainNetwork::End TrainNetwork::end(int rank, bool sends) {
  const simgrid::s4u::Host* host = fabric_.host(rank);
  const char* processor = host->get_property("processor");
  if (processor != nullptr) return {&processors_[processor], kOfEither};
  return {&(sends ? sent_by_ : taken_by_)[host], 0};
}

void TrainNetwork::send(Way way, Message message) {
  constexpr int kFragmentsAtOnce = 3;
  const Path& path = fabric_.path(way.source, way.destination);
  message.bytes = std::max(1.0, message.bytes);  // of nothing, its header
  const double copying =
      message.is_copied ? kOfEither * path.costs->least_seconds_per_byte(message.size) : 0;
  const double tokens = 1 + path.bandwidth * path.costs->seconds_per_byte(message.size);
  Connection& connection = this->connection(way);
  // Of a message beyond the burst the latency holds what copying takes while no wire is waited for.
  if (static_cast<double>(message.size) > connection.burst) {
    const Seconds copied = std::min(train_, message.bytes) * copying / kOfEither;
    message.latency = std::max(0.0, message.latency - copied);
  }
  const auto passing = std::make_shared<Passing>(Passing{std::move(message), tokens, copying});
  for (int i = 0; i < kFragmentsAtOnce; ++i) add_fragment(connection, passing);
  advance(connection, true);
}

void TrainNetwork::add_fragment(Connection& connection, const std::shared_ptr<Passing>& passing) {
  constexpr double kFragment = 128 << 10U;
  const double bytes = std::min(kFragment, passing->message.bytes - passing->added);
  if (bytes <= 0) return;
  const End& sender = connection.from;
  const Seconds first = passing->added == 0 ? sender.of_latency * passing->message.latency : 0;
  const Seconds begun = std::max(now(), *sender.busy_until) + first;
  *sender.busy_until = begun + bytes * passing->copying;
  passing->added += bytes;
  connection.fragments.push_back({.of = passing, .bytes = bytes, .begun = begun});
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

bool TrainNetwork::is_kept_back(const Connection& connection, double bytes, bool is_last,
                                bool is_written) const {
  if (connection.queued > 2 * train_) return true;
  if (is_written && is_last && bytes < train_ && connection.queued > bytes) return true;
  if (connection.on_the_way == 0) return false;
  const double room = window_ - connection.on_the_way;
  return bytes > room || (is_last && room < std::min(train_, window_ / 3));
}

void TrainNetwork::give_out(Connection& connection, bool is_written) {
  if (connection.waits_for_copy) return;
  for (std::size_t i = 0; i < connection.fragments.size(); ++i) {
    Fragment& fragment = connection.fragments[i];
    while (fragment.sent < fragment.bytes) {
      const double left = fragment.bytes - fragment.sent, bytes = std::min(train_, left);
      if (is_kept_back(connection, bytes, left <= bytes, is_written)) return;
      const Passing& passing = *fragment.of;
      const Seconds copied = fragment.begun + (fragment.sent + bytes) * passing.copying;
      if (copied > now() + kTimingPrecision) {
        connection.waits_for_copy = true;
        return simgrid_compat::at(copied, [this, &connection] {
          connection.waits_for_copy = false;
          advance(connection, true);
        });
      }
      fragment.sent += bytes;
      connection.on_the_way += bytes;
      const Train train{.connection = &connection,
                        .bytes = bytes,
                        .tokens = bytes * passing.tokens,
                        .acknowledges = false};
      if (left <= bytes) add_fragment(connection, fragment.of);
      forward(train);
    }
  }
}

void TrainNetwork::forward(Train train) {
  const auto& way = train.acknowledges ? train.connection->back : train.connection->there;
  if (train.hops == way.size()) return land(train);
  if (train.hops == 0 && !train.acknowledges) train.connection->queued += train.bytes;
  Shaper& next = *way[train.hops];
  next.queue.push_back(train);
  if (!next.is_busy) pass(next);
}

void TrainNetwork::pass(Shaper& shaper) {
  shaper.is_busy = true;
  while (!shaper.queue.empty()) {
    shaper.tokens =
        std::min(shaper.depth, shaper.tokens + (now() - shaper.since) * shaper.bandwidth);
    shaper.since = now();
    Train train = shaper.queue.front();
    const double missing = std::min(train.tokens, shaper.depth) - shaper.tokens;
    const Seconds all_there = now() + missing / shaper.bandwidth;
    if (all_there > now() + kTimingPrecision)
      return simgrid_compat::at(all_there, [this, &shaper] { pass(shaper); });
    shaper.tokens -= train.tokens;
    shaper.queue.pop_front();
    const bool leaves_its_host = train.hops++ == 0 && !train.acknowledges;
    if (leaves_its_host) train.connection->queued -= train.bytes;
    forward(train);
    if (leaves_its_host) advance(*train.connection, false);
  }
  shaper.is_busy = false;
}

void TrainNetwork::land(const Train& train) {
  Connection& connection = *train.connection;
  if (train.acknowledges) {
    connection.on_the_way -= train.bytes;
    return advance(connection, false);
  }
  Fragment& fragment = *std::ranges::find_if(
      connection.fragments, [](const Fragment& each) { return each.landed < each.bytes; });
  Passing& passing = *fragment.of;
  Seconds& busy_until = *connection.to.busy_until;
  busy_until = std::max(busy_until, now()) + train.bytes * passing.copying;
  fragment.landed += train.bytes;
  passing.landed += train.bytes;
  if (passing.landed >= passing.message.bytes) {
    const Seconds latency = passing.message.latency;
    busy_until += connection.to.of_latency * latency;
    const double spent = connection.from.of_latency + connection.to.of_latency;
    simgrid_compat::at(busy_until + (1 - spent) * latency, std::move(passing.message.arrived));
  }
  forward({.connection = &connection, .bytes = train.bytes, .tokens = 0, .acknowledges = true});
}

}  // namespace tandem
