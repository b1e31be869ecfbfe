#include "sim/faults/faults.h"

#include <algorithm>

#include "sim/faults/named_host.h"

namespace tandem {
namespace {

/// Without those that are over.
std::vector<LinkFaultSpec> left_in_segment(std::vector<LinkFaultSpec> specs,
                                           const Segment& segment) {
  for (LinkFaultSpec& spec : specs) spec.window = in_segment(spec.window, segment);
  std::erase_if(specs, [](const LinkFaultSpec& spec) { return spec.window.until <= 0; });
  return specs;
}

}  // namespace

void require_fault_places(const Engine& engine, const FaultsSpec& faults) {
  const auto require = [&](const FaultTarget& target, const char* key) {
    if (target.host) host_called(engine, *target.host, key);
  };
  for (const SlowSpec& slow : faults.slow) require(slow.target, "faults.slow.host");
  for (const FailSpec& fail : faults.fail) require(fail.target, "faults.fail.host");
  for (const LinkFaultSpec& fault : faults.links) links_called(engine, fault.link);
  for (const TrafficSpec& traffic : faults.traffic) traffic_ends(engine, traffic);
}

std::optional<std::string> disturbance_of(const Engine& engine, const FaultsSpec& faults,
                                          const std::vector<MemberDevice>& members) {
  if (!faults.traffic.empty()) return "messages share links with other traffic";
  if (std::ranges::any_of(faults.links, &FaultWindow::changes, &LinkFaultSpec::window))
    return "links change in the course of time";
  if (std::ranges::any_of(engine.links(), [](const auto* link) { return may_change(*link); }))
    return "the platform changes in the course of time";
  constexpr std::size_t kAny = 1 << 20;
  const auto adds_unevenly = [](const MemberDevice& member) {
    return member.slowness && member.adding_time(kAny) > 0;
  };
  if (std::ranges::any_of(members, adds_unevenly)) return "a member adds up slower at times";
  return std::nullopt;
}

NetworkFaults::NetworkFaults(const Engine& engine, const Scenario& scenario, const Segment& segment)
    : engine_(engine),
      seed_(scenario.seed),
      begin_(segment.begin),
      link_specs_(left_in_segment(scenario.faults.links, segment)),
      traffic_specs_(scenario.faults.traffic),
      links_(engine, link_specs_) {}

void NetworkFaults::start(Job& job) {
  links_.start();
  if (traffic_specs_.empty()) return;
  traffic_.emplace(engine_, traffic_specs_, seed_, begin_, job.loads(), job.shapers());
  job.at_end([this] { traffic_->finish(); });
}

}  // namespace tandem
