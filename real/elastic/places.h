#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/command/launcher.h"
#include "core/faults/failures.h"
#include "core/scenario/scenario.h"
#include "real/elastic/probe.h"

namespace tandem::elastic {

/// Where the members of a job are, so that some of them can be started there again: hosts of a lab,
/// slots of a hostfile, or this machine alone.
class Places {
 public:
  /// Throws InputError where the hostfile can't be read or has too few slots for the scenario.
  Places(LaunchOptions launch, const Scenario& scenario);

  /// The members' hosts by rank; none where they have no names.
  const std::vector<std::string>& hosts() const { return hosts_; }

  /// The scenario's failures, by the members on the hosts that fail. Throws InputError where none
  /// is on one of them.
  std::vector<Failure> failures(const Scenario& scenario) const;

  /// The command that starts `program` once for each of the `members`, ranks of the whole job, in
  /// that order. A server whose place is among those `without`, other members' ranks, takes that of
  /// a worker. In a lab, `faults` befall its network meanwhile. Writes in `folder`.
  std::vector<std::string> command(const std::vector<int>& members, const std::vector<int>& without,
                                   const std::vector<std::string>& program,
                                   const std::filesystem::path& folder,
                                   std::optional<LabFaults> faults = {}) const;

  /// Asks the hosts of these members, ranks of the whole job, to start a process; nobody where
  /// hosts have no names. Writes in `folder`.
  Probe ask(const std::vector<int>& members, const std::filesystem::path& folder) const;

 private:
  std::vector<std::string> at(LaunchOptions launch, const std::vector<int>& places,
                              const std::vector<std::string>& program,
                              const std::filesystem::path& folder) const;

  LaunchOptions launch_;
  std::vector<int> places_;         ///< by rank: hosts of the lab, or slots
  std::vector<std::string> slots_;  ///< host of each of a hostfile's
  std::vector<std::string> hosts_;
};

}  // namespace tandem::elastic
