#include "real/lab/disturbances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "real/lab/labs.h"

namespace tandem::lab {
namespace {

void restore(const Lab& lab, const LockFile& mark) {
  for (const WireEnd& end : wire_ends(lab)) set_rate(end, end.rate);
  for (int host = 0; host < lab.hosts(); ++host) set_reachable(lab, host, true);
  mark.remove();
}

/// Its own, and the one that both directions share.
std::array<std::string, 2> names_of(const WireEnd& end) {
  return {end.link, end.link.substr(0, end.link.rfind('_'))};
}

/// Throws InputError where somebody else disturbs the lab.
void require_held(const Lab& lab, const LockFile& mark) {
  if (mark.is_taken())
    throw InputError(fmt::format(
        "another job disturbs the network of lab {} now; wait for its end, or take another lab",
        lab.name));
  if (!mark.holds())
    throw RunError(fmt::format("{}: can't lock: {}", disturbance_mark(lab.name).string(),
                               std::strerror(mark.error())));
}

}  // namespace

void require_possible(const Lab& lab, const FaultsSpec& faults) {
  std::vector<std::string> links;
  for (const WireEnd& end : wire_ends(lab))
    std::ranges::copy(names_of(end), std::back_inserter(links));
  for (const LinkFaultSpec& fault : faults.links) {
    if (fault.latency_factor != 1)
      throw InputError(
          "faults.links.latency_factor: a lab can't do that, only bandwidth_factor; leave it out");
    if (std::ranges::count(links, fault.link) == 0)
      throw InputError(fmt::format("faults.links: lab {} has no link '{}'; the nearest is '{}'",
                                   lab.name, fault.link, nearest(fault.link, links)));
  }
  for (const TrafficSpec& traffic : faults.traffic) {
    host_called(lab, traffic.source, "faults.traffic.source");
    host_called(lab, traffic.destination, "faults.traffic.destination");
  }
}

Disturbances::Disturbances(const Lab& lab, const Scenario& scenario, const std::vector<int>& places,
                           Journal journal)
    : lab_(lab), faults_(scenario.faults), seed_(scenario.seed), journal_(std::move(journal)) {
  require_possible(lab_, faults_);
  for (const WireEnd& end : wire_ends(lab_)) wires_.push_back({.end = end, .faults = {}});
  for (const LinkFaultSpec& fault : faults_.links) find_wires(fault);
  for (const TrafficSpec& traffic : faults_.traffic)
    ways_.push_back({host_called(lab_, traffic.source, "faults.traffic.source"),
                     host_called(lab_, traffic.destination, "faults.traffic.destination")});
  for (const FailSpec& fail : faults_.fail) {
    if (!fail.is_partition) continue;
    const int rank = fail.target.rank.value(), host = places.empty() ? rank : places.at(rank);
    auto known = std::ranges::find(partitions_, host, &Partition::host);
    if (known == partitions_.end())
      known = partitions_.insert(known, {.host = host, .rank = rank, .faults = {}});
    known->faults.push_back(&fail);
  }
  mark_ = LockFile(disturbance_mark(lab_.name), Sharing::kAlone);
  require_held(lab_, mark_);
}

Disturbances::~Disturbances() {
  try {
    ways_.clear();
    restore(lab_, mark_);
  } catch (const std::exception&) {  // the mark stays: the next job in the lab mends it
  }
}

void Disturbances::find_wires(const LinkFaultSpec& fault) {
  for (Wire& wire : wires_)
    if (std::ranges::count(names_of(wire.end), fault.link) > 0) wire.faults.push_back(&fault);
}

void Disturbances::act(Seconds began) {
  const Seconds now = time_since_1970() - began;
  try {
    for (Wire& wire : wires_) act_on(wire, now);
    for (std::size_t spec = 0; spec < ways_.size(); ++spec) act_on(ways_[spec], spec, now, began);
    for (Partition& partition : partitions_) act_on(partition, now);
  } catch (const InputError& error) {  // no longer what the user gave
    throw RunError(error.what());
  }
}

void Disturbances::act_on(Wire& wire, Seconds now) {
  double factor = 1;
  for (const LinkFaultSpec* fault : wire.faults)
    if (fault->window.holds(now)) factor *= fault->bandwidth_factor;
  if (factor == wire.factor) return;
  set_rate(wire.end, wire.end.rate * factor);
  wire.factor = factor;
}

void Disturbances::act_on(Way& way, std::size_t spec, Seconds now, Seconds began) {
  for (const Connection& connection : way.connections) connection.require();
  const TrafficSpec& traffic = faults_.traffic[spec];
  const bool flows = traffic.window.holds(now);
  if (flows == !way.connections.empty()) return;
  way.connections.clear();
  if (!flows) return;
  if (traffic.bytes) {
    way.connections.emplace_back(lab_, way.source, way.destination, *traffic.bytes,
                                 Arrivals(traffic, seed_, spec, now), began);
    return;
  }
  for (int i = 0; i < traffic.flows.value_or(1); ++i)
    way.connections.emplace_back(lab_, way.source, way.destination, traffic.rate.value_or(0));
}

void Disturbances::act_on(Partition& partition, Seconds now) {
  const bool is_cut = std::ranges::any_of(partition.faults, [&](const FailSpec* fault) {
    return fault->at <= now && now < fault->back.value_or(kForever);
  });
  if (is_cut == partition.is_cut) return;
  set_reachable(lab_, partition.host, !is_cut);
  partition.is_cut = is_cut;
  journal_.note(is_cut ? JobMoment::kFails : JobMoment::kReturns, partition.rank);
}

// Who holds the mark may be mending too.
void mend(const Lab& lab) {
  constexpr Seconds kMendedIn = 2;
  if (!std::filesystem::exists(disturbance_mark(lab.name))) return;
  const LockFile mark(disturbance_mark(lab.name), Sharing::kAlone, kMendedIn);
  require_held(lab, mark);
  restore(lab, mark);
}

}  // namespace tandem::lab
