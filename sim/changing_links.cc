#include "sim/changing_links.h"

#include <algorithm>
#include <simgrid/s4u/Engine.hpp>
#include <unordered_map>

namespace tandem {
namespace {

using simgrid::s4u::Link;

constexpr double kWide = 1e18;  // bytes/s: above what any link has, so that it bounds nothing

struct Change {
  Seconds at;
  double bandwidth;  ///< from then on
};
using History = std::vector<Change>;

std::unordered_map<const Link*, History> histories;
std::unordered_map<const Link*, double> latency_factors;  ///< that are not 1
std::vector<std::pair<Link*, double>> exchanged;  ///< by a LifelongBound, with their own bandwidths

void note(const Link& link) {
  const auto known = histories.find(&link);
  if (known == histories.end() || !exchanged.empty()) return;
  const Seconds now = simgrid::s4u::Engine::get_clock();
  History& history = known->second;
  if (history.back().at == now) history.pop_back();
  history.push_back({now, link.get_bandwidth()});
}

void exchange(Link& link, double bandwidth) {
  exchanged.emplace_back(&link, link.get_bandwidth());
  link.set_bandwidth(bandwidth);
}

}  // namespace

void expect_changes(Link& link) {
  if (histories.empty()) Link::on_bandwidth_change_cb(note);
  histories.try_emplace(&link, History{{0, link.get_bandwidth()}});
}

bool may_change(const Link& link) {
  return histories.contains(&link);
}

double bandwidth_now(const Link& link) {
  const auto found = std::ranges::find(exchanged, &link, &std::pair<Link*, double>::first);
  return found == exchanged.end() ? link.get_bandwidth() : found->second;
}

// With Link::set_latency(), 3.32 forgets messages that are on their way to the link: what they wait
// for next never comes.
void set_latency_factor(const Link& link, double factor) {
  latency_factors.erase(&link);
  if (factor != 1) latency_factors.emplace(&link, factor);
}

Seconds latency_now(const Link& link) {
  if (latency_factors.empty()) return link.get_latency();
  const auto found = latency_factors.find(&link);
  return link.get_latency() * (found == latency_factors.end() ? 1 : found->second);
}

double let_through(const Link& link, Seconds begin, Seconds end) {
  const auto known = histories.find(&link);
  if (known == histories.end()) return link.get_bandwidth() * std::max(0.0, end - begin);
  double bytes = 0;
  Seconds until = end;
  for (auto change = known->second.rbegin(); change != known->second.rend(); ++change) {
    bytes += change->bandwidth * std::max(0.0, until - std::max(begin, change->at));
    until = std::min(until, change->at);
  }
  return bytes;
}

LifelongBound::LifelongBound(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to,
                             double rate) {
  if (rate == 0 && histories.empty()) return;
  std::vector<Link*> way;
  from.route_to(&to, way, nullptr);
  for (Link* link : way) {
    if (rate > 0 && link == way.front()) {
      exchange(*link, rate);
    } else if (may_change(*link)) {
      exchange(*link, kWide);
    }
  }
}

LifelongBound::~LifelongBound() {
  for (const auto& [link, bandwidth] : exchanged) link->set_bandwidth(bandwidth);
  exchanged.clear();
}

}  // namespace tandem
