#include "sim/faults/link_faults.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "sim/faults/at_times.h"

namespace tandem {

std::vector<simgrid::s4u::Link*> links_called(const Engine& engine, const std::string& name) {
  std::vector<simgrid::s4u::Link*> found;
  std::vector<std::string> names;
  for (simgrid::s4u::Link* link : engine.links()) {
    const std::string& own = link->get_name();
    if (own == name || own == name + "_UP" || own == name + "_DOWN") found.push_back(link);
    names.push_back(own);
  }
  if (found.empty())
    throw InputError(
        fmt::format("faults.links: platform {} has no link '{}'{}", engine.platform().string(),
                    name, names.empty() ? "" : "; the nearest is '" + nearest(name, names) + "'"));
  return found;
}

LinkFaults::LinkFaults(const Engine& engine, const std::vector<LinkFaultSpec>& faults) {
  for (const LinkFaultSpec& fault : faults) {
    const auto links = links_called(engine, fault.link);
    if (!fault.window.changes()) {
      for (simgrid::s4u::Link* link : links) {
        link->set_bandwidth(link->get_bandwidth() * fault.bandwidth_factor);
        link->set_latency(link->get_latency() * fault.latency_factor);
      }
    } else {
      for (simgrid::s4u::Link* link : links) expect_changes(*link);
      at_times(
          engine, fault.window,
          [this, links, &fault] {
            for (simgrid::s4u::Link* link : links) begin(link, fault);
          },
          [this, links, &fault] {
            for (simgrid::s4u::Link* link : links) end(link, fault);
          });
    }
  }
}

void LinkFaults::begin(simgrid::s4u::Link* link, const LinkFaultSpec& fault) {
  const State undisturbed{link->get_bandwidth(), {}};
  State& state = states_.try_emplace(link, undisturbed).first->second;
  state.faults.push_back(&fault);
  apply(link, state);
}

void LinkFaults::end(simgrid::s4u::Link* link, const LinkFaultSpec& fault) {
  State& state = states_.at(link);
  std::erase(state.faults, &fault);
  apply(link, state);
}

void LinkFaults::apply(simgrid::s4u::Link* link, const State& state) {
  double bandwidth = state.bandwidth, latency_factor = 1;
  for (const LinkFaultSpec* fault : state.faults) {
    bandwidth *= fault->bandwidth_factor;
    latency_factor *= fault->latency_factor;
  }
  link->set_bandwidth(bandwidth);
  set_latency_factor(*link, latency_factor);
}

}  // namespace tandem
