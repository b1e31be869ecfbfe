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
struct Changing {
  Link* link;
  double own;  ///< bandwidth by the platform, whose profile may set it at any time
  double lasting = 1, factor = 1;
  std::vector<Change> history = {};  ///< never empty
};

std::unordered_map<const Link*, Changing> changing;
bool is_setting = false;  ///< else it is the platform's profile that sets a bandwidth
std::unordered_map<const Link*, double> latency_factors;  ///< that are not 1
std::vector<std::pair<Link*, double>> exchanged;  ///< by a LifelongBound, with their own bandwidths

void set_own(Link& link, double bandwidth) {
  is_setting = true;
  link.set_bandwidth(bandwidth);
  is_setting = false;
}

void apply(const Changing& state) {
  set_own(*state.link, state.own * state.lasting * state.factor);
}

void record(const Link& link, std::vector<Change>& history) {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  if (history.back().bandwidth == link.get_bandwidth()) return;
  if (history.back().at == now) history.pop_back();
  history.push_back({now, link.get_bandwidth()});
}

void note(const Link& link) {
  const auto known = changing.find(&link);
  if (known == changing.end() || !exchanged.empty()) return;
  if (is_setting) return record(link, known->second.history);
  known->second.own = link.get_bandwidth();
  apply(known->second);
}

void exchange(Link& link, double bandwidth) {
  exchanged.emplace_back(&link, link.get_bandwidth());
  link.set_bandwidth(bandwidth);
}

}  // namespace

void expect_changes(Link& link) {
  if (changing.empty()) Link::on_bandwidth_change_cb(note);
  const double bandwidth = link.get_bandwidth();
  changing.try_emplace(&link,
                       Changing{.link = &link, .own = bandwidth, .history = {{0, bandwidth}}});
}

bool may_change(const Link& link) {
  return changing.contains(&link);
}

void scale_bandwidth(Link& link, double factor) {
  if (!may_change(link)) {
    link.set_bandwidth(link.get_bandwidth() * factor);
    return;
  }
  Changing& state = changing.at(&link);
  state.lasting *= factor;
  apply(state);
}

void set_bandwidth_factor(Link& link, double factor) {
  Changing& state = changing.at(&link);
  state.factor = factor;
  apply(state);
}

void touch(Link& link) {
  set_own(link, link.get_bandwidth());
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
  const auto known = changing.find(&link);
  if (known == changing.end()) return link.get_bandwidth() * std::max(0.0, end - begin);
  double bytes = 0;
  Seconds until = end;
  const std::vector<Change>& history = known->second.history;
  for (auto change = history.rbegin(); change != history.rend() && until > begin; ++change) {
    bytes += change->bandwidth * std::max(0.0, until - std::max(begin, change->at));
    until = std::min(until, change->at);
  }
  return bytes;
}

LifelongBound::LifelongBound(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to,
                             double rate) {
  if (rate == 0 && changing.empty()) return;
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
