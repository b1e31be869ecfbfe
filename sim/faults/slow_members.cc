#include "sim/faults/slow_members.h"

#include <map>
#include <memory>

#include "sim/faults/named_host.h"

namespace tandem {
std::vector<int> befallen(const Engine& engine, const std::vector<simgrid::s4u::Host*>& hosts,
                          const std::vector<int>& ranks, const FaultTarget& target,
                          const std::string& key) {
  const simgrid::s4u::Host* named =
      target.host ? host_called(engine, *target.host, key + ".host") : nullptr;
  std::vector<int> places;
  for (std::size_t place = 0; place < hosts.size(); ++place) {
    if (named != nullptr ? hosts[place] == named : ranks[place] == *target.rank)
      places.push_back(static_cast<int>(place));
  }
  return places;
}

void slow_devices(const Engine& engine, const Scenario& scenario, const Segment& segment,
                  const std::vector<simgrid::s4u::Host*>& hosts, std::vector<HostDevice>& devices) {
  const std::vector<int> ranks = original_ranks(scenario, segment);
  for (const SlowSpec& slow : scenario.faults.slow) {
    if (slow.window.changes()) continue;
    for (const int place : befallen(engine, hosts, ranks, slow.target, "faults.slow"))
      devices[place].speed /= slow.factor;
  }
}

void slow_at_times(const Engine& engine, const Scenario& scenario, const Segment& segment,
                   const std::vector<simgrid::s4u::Host*>& hosts,
                   std::vector<MemberDevice>& members) {
  const std::vector<int> ranks = original_ranks(scenario, segment);
  std::map<int, std::shared_ptr<Slowness>> slow_ones;
  for (const SlowSpec& slow : scenario.faults.slow) {
    if (!slow.window.changes()) continue;
    for (const int place : befallen(engine, hosts, ranks, slow.target, "faults.slow")) {
      auto& slowness = slow_ones[place];
      if (!slowness) slowness = std::make_shared<Slowness>();
      slowness->add(slow.factor, in_segment(slow.window, segment));
    }
  }
  for (const auto& [place, slowness] : slow_ones) members[place].slowness = slowness;
}

}  // namespace tandem
