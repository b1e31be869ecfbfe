#include "sim/faults/named_host.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace tandem {

simgrid::s4u::Host* host_called(const Engine& engine, const std::string& name,
                                const std::string& key) {
  std::vector<std::string> names;
  for (simgrid::s4u::Host* host : engine.hosts()) {
    if (host->get_name() == name) return host;
    names.push_back(host->get_name());
  }
  throw InputError(fmt::format("{}: platform {} has no host '{}'; the nearest is '{}'", key,
                               engine.platform().string(), name, nearest(name, names)));
}

}  // namespace tandem
