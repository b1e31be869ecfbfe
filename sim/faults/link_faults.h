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
  /// Changes those links at once whose window is the whole run; the others when Engine::run() comes
  /// to it. `engine` and `faults` have to outlive that, as has this.
  LinkFaults(const Engine& engine, const std::vector<LinkFaultSpec>& faults);
  LinkFaults(const LinkFaults&) = delete;
  LinkFaults& operator=(const LinkFaults&) = delete;

 private:
  struct State {
    double bandwidth;  ///< without any fault
    std::vector<const LinkFaultSpec*> faults;
  };

  void begin(simgrid::s4u::Link* link, const LinkFaultSpec& fault);
  void end(simgrid::s4u::Link* link, const LinkFaultSpec& fault);
  static void apply(simgrid::s4u::Link* link, const State& state);

  std::map<simgrid::s4u::Link*, State> states_;
};

}  // namespace tandem
