#include "sim/without_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/nearest.h"
#include "sim/faults/background_traffic.h"
#include "sim/faults/link_faults.h"
#include "sim/faults/slow_members.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

/// "12 links carry nothing: a, b, c and 9 more".
std::string listed(const Lines& names) {
  constexpr std::size_t kNamed = 8;
  const std::size_t named = std::min(kNamed, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + named, ", "));
  if (names.size() > named) text += fmt::format(" and {} more", names.size() - named);
  return text;
}

bool comes_too_late(const FaultWindow& window, Seconds end, int iterations) {
  return window.from >= (window.in_iterations ? iterations : end);
}

void add_slow(const Engine& engine, const Scenario& scenario, const Cast& cast, Seconds end,
              int iterations, Lines& lines) {
  const auto hosts = engine.place(cast.members.size(), cast.hosts);
  const std::vector<int> ranks = original_ranks(scenario, {});
  for (const SlowSpec& slow : scenario.faults.slow) {
    const std::string label = "faults.slow of " + slow.target.label();
    if (befallen(engine, hosts, ranks, slow.target, "faults.slow").empty()) {
      lines.push_back(label + ": no member is there");
    } else if (comes_too_late(slow.window, end, iterations)) {
      lines.push_back(label + ": it begins after the training's end");
    }
  }
}

void add_links(const Engine& engine, const FaultsSpec& faults, LinkLoads& loads, Seconds end,
               Lines& lines) {
  for (const LinkFaultSpec& fault : faults.links) {
    const auto links = links_called(engine, fault.link);
    if (std::ranges::none_of(links, [&](auto* link) { return loads.has_carried(*link); })) {
      lines.push_back(fmt::format("faults.links of {}: it carries nothing", fault.link));
    } else if (comes_too_late(fault.window, end, 0)) {
      lines.push_back(
          fmt::format("faults.links of {}: it begins after the training's end", fault.link));
    }
  }
}

void add_traffic(const Engine& engine, const FaultsSpec& faults, const LinkLoads& loads,
                 Seconds end, Lines& lines) {
  for (const TrafficSpec& traffic : faults.traffic) {
    const std::string label =
        fmt::format("faults.traffic of {} to {}", traffic.source, traffic.destination);
    const auto way = traffic_ends(engine, traffic).way;
    if (comes_too_late(traffic.window, end, 0)) {
      lines.push_back(label + ": it begins after the training's end");
    } else if (std::ranges::none_of(way, [&](const auto* link) {
                 return link->is_shared() && loads.has_carried_for_job(*link);
               })) {
      lines.push_back(label + ": it shares no link with the job's messages");
    }
  }
}

// Nothing that is sent crosses a link where there is one member, or all share a host.
void add_simulation(const Scenario& scenario, LinkLoads& loads, Lines& lines) {
  const SimulationSpec& simulation = scenario.simulation;
  if (loads.any()) return;
  const std::string why = ": nothing crosses a link";
  if (simulation.bandwidth_factor != 1) lines.push_back("simulation.bandwidth_factor" + why);
  if (simulation.latency_factor != 1) lines.push_back("simulation.latency_factor" + why);
}

void add_device(const Engine& engine, const Scenario& scenario, const Cast& cast, Lines& lines) {
  const auto hosts = engine.place(cast.members.size(), cast.hosts);
  const bool all_name_one = std::ranges::all_of(
      hosts, [](const auto* host) { return host->get_property("device") != nullptr; });
  if (scenario.device && !scenario.is_paced() && all_name_one)
    lines.push_back(
        fmt::format("device {}: every host of the platform names one", *scenario.device));
}

void add_transport(const Scenario& scenario, Lines& lines) {
  if (scenario.transport != "host") lines.emplace_back("transport: simulations know nothing of it");
}

/// Properties whose names are one edit from `known` ones, or differ in case, each name once; what
/// else a platform says of itself is its own affair.
void add_misspelt(const auto& things, const char* kind, const Lines& known, Lines& lines) {
  std::map<std::string, std::string> first_with;
  for (const auto* thing : things)
    for (const auto& [name, value] : *thing->get_properties())
      first_with.try_emplace(name, thing->get_name());
  for (const auto& [name, thing] : first_with) {
    const std::string meant = nearest(name, known);
    if (name != meant && edit_distance(name, meant) <= 1)
      lines.push_back(
          fmt::format("property '{}' of {} {}: did you mean '{}'?", name, kind, thing, meant));
  }
}

}  // namespace

Lines keys_without_effect(const Engine& engine, const Scenario& scenario, const Cast& cast,
                          LinkLoads& loads, Seconds end, const std::vector<MemberResult>& members) {
  Lines lines;
  const int iterations = static_cast<int>(members.front().iterations.size());
  add_slow(engine, scenario, cast, end, iterations, lines);
  add_links(engine, scenario.faults, loads, end, lines);
  add_traffic(engine, scenario.faults, loads, end, lines);
  add_device(engine, scenario, cast, lines);
  add_transport(scenario, lines);
  if (!cast.hosts.empty()) add_simulation(scenario, loads, lines);
  const auto& zone = simgrid_compat::outermost_zone(*simgrid::s4u::Engine::get_instance());
  add_misspelt(std::array{&zone}, "zone", {"calibration"}, lines);
  add_misspelt(engine.hosts(), "host", {"board", "device", "processor", "role", "speed"}, lines);
  add_misspelt(engine.links(), "link", {"burst"}, lines);
  return lines;
}

Lines platform_without_effect(const Engine& engine, const Cast& cast, LinkLoads& loads) {
  Lines lines;
  Lines links;
  for (const simgrid::s4u::Link* link : engine.links())
    if (!loads.has_carried(*link)) links.push_back(link->get_name());
  if (!links.empty()) lines.push_back("links that carry nothing: " + listed(links));
  const std::set<int> taken(cast.hosts.begin(), cast.hosts.end());
  Lines hosts;
  for (int i = 0; i < static_cast<int>(engine.hosts().size()); ++i)
    if (!taken.contains(i)) hosts.push_back(engine.hosts()[i]->get_name());
  if (!hosts.empty()) lines.push_back("hosts without a member: " + listed(hosts));
  if (const std::size_t made = engine.hosts().size(); made < engine.host_count())
    lines.push_back(fmt::format(
        "the last {} of the platform's {} hosts: no member is there, and their links carry nothing",
        engine.host_count() - made, engine.host_count()));
  return lines;
}

}  // namespace tandem
