#pragma once

#include <unordered_map>
#include <vector>

#include "core/platform/host_network.h"
#include "sim/engine.h"

namespace tandem {

/// The network between some of a platform's hosts, as SimGrid routes it.
class SimHostNetwork final : public HostNetwork {
 public:
  /// `hosts`: indices into Engine::hosts(). The engine must outlive it.
  SimHostNetwork(const Engine& engine, const std::vector<int>& hosts);

  int hosts() const override { return static_cast<int>(hosts_.size()); }
  HostRoute route(int from, int to) override;
  const std::vector<NetworkLink>& links() const override { return links_; }
  /// Requires one of links().
  const simgrid::s4u::Link& link(int number) const { return *own_links_[number]; }

 private:
  int number_of(const simgrid::s4u::Link& link);

  const Engine& engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<NetworkLink> links_;
  std::vector<const simgrid::s4u::Link*> own_links_;  ///< alike
  std::unordered_map<const simgrid::s4u::Link*, int> numbers_;
};

}  // namespace tandem
