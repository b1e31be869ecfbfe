#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/scenario/faults.h"
#include "sim/engine.h"

namespace tandem {

/// The links that a name means: the link of that name, or both directions of a full-duplex one.
/// Throws InputError with the nearest name where the platform has none.
std::vector<simgrid::s4u::Link*> links_called(const Engine& engine, const std::string& name);

/// Links that are narrower, or slower to cross, than the platform says, for a time or for good.
class LinkFaults {
 public:
  /// Changes those links at once whose window is the whole run. `engine` and `faults` have to
  /// outlive the run, as has this.
  LinkFaults(const Engine& engine, const std::vector<LinkFaultSpec>& faults);
  LinkFaults(const LinkFaults&) = delete;
  LinkFaults& operator=(const LinkFaults&) = delete;

  /// The others are changed when Engine::run() comes to it.
  void start();

 private:
  using Faults = std::vector<const LinkFaultSpec*>;

  void begin(simgrid::s4u::Link* link, const LinkFaultSpec& fault);
  void end(simgrid::s4u::Link* link, const LinkFaultSpec& fault);
  static void apply(simgrid::s4u::Link* link, const Faults& faults);

  const Engine& engine_;
  const std::vector<LinkFaultSpec>& specs_;
  std::map<simgrid::s4u::Link*, Faults> under_way_;
};

}  // namespace tandem
