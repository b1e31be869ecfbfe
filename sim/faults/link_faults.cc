#include "sim/faults/link_faults.h"

#include <fmt/format.h>

#include <cstring>

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
    for (const char* direction : {"_UP", "_DOWN"})
      if (own.ends_with(direction))
        names.push_back(own.substr(0, own.size() - std::strlen(direction)));
  }
  if (found.empty())
    throw InputError(
        fmt::format("faults.links: platform {} has no link '{}'{}", engine.platform().string(),
                    name, names.empty() ? "" : "; the nearest is '" + nearest(name, names) + "'"));
  return found;
}

LinkFaults::LinkFaults(const Engine& engine, const std::vector<LinkFaultSpec>& faults)
    : engine_(engine), specs_(faults) {
  for (const LinkFaultSpec& fault : faults) {
    for (simgrid::s4u::Link* link : links_called(engine, fault.link)) {
      if (fault.window.changes()) {
        expect_changes(*link);
      } else {
        scale_bandwidth(*link, fault.bandwidth_factor);
        link->set_latency(link->get_latency() * fault.latency_factor);
      }
    }
  }
}

void LinkFaults::start() {
  for (const LinkFaultSpec& fault : specs_) {
    if (!fault.window.changes()) continue;
    const auto links = links_called(engine_, fault.link);
    at_times(
        engine_, fault.window,
        [this, links, &fault] {
          for (simgrid::s4u::Link* link : links) begin(link, fault);
        },
        [this, links, &fault] {
          for (simgrid::s4u::Link* link : links) end(link, fault);
        });
  }
}

void LinkFaults::begin(simgrid::s4u::Link* link, const LinkFaultSpec& fault) {
  Faults& faults = under_way_[link];
  faults.push_back(&fault);
  apply(link, faults);
}

void LinkFaults::end(simgrid::s4u::Link* link, const LinkFaultSpec& fault) {
  Faults& faults = under_way_.at(link);
  std::erase(faults, &fault);
  apply(link, faults);
}

void LinkFaults::apply(simgrid::s4u::Link* link, const Faults& faults) {
  double bandwidth_factor = 1, latency_factor = 1;
  for (const LinkFaultSpec* fault : faults) {
    bandwidth_factor *= fault->bandwidth_factor;
    latency_factor *= fault->latency_factor;
  }
  set_bandwidth_factor(*link, bandwidth_factor);
  set_latency_factor(*link, latency_factor);
}

}  // namespace tandem
