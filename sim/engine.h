#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/network/calibration.h"
#include "core/scenario/scenario.h"
#include "sim/flat_cluster.h"
#include "sim/simgrid_compat.h"

namespace tandem {

/// A SimGrid setting and the value that tandem pins it to.
struct EngineSetting {
  std::string key;
  std::string value;
};

/// Every setting that simulated times depend on, and those that speed depends on. All are set, so
/// that no default of a SimGrid version, and no <config> of a platform file, gets in unseen.
///
/// The network is CM02 without any correction: a flow takes the route's latency plus its bytes over
/// its max-min fair share of the bandwidth, and nothing flows back. So a collective on an idle
/// uniform platform takes exactly its closed form. Only a platform that names a calibration adds to
/// that what its messages cost.
std::vector<EngineSetting> engine_settings(Depth depth);

/// Two simulated times closer than this are one.
inline constexpr Seconds kTimingPrecision = 1e-12;

/// A platform that no file holds.
struct BuiltPlatform {
  std::string label;  ///< for messages
  std::string xml;
};

/// SimGrid with a platform loaded. A process can make only one, ever.
class Engine {
 public:
  /// Throws InputError naming `platform` where SimGrid does not take it.
  Engine(const std::filesystem::path& platform, Depth depth);
  Engine(const BuiltPlatform& platform, Depth depth);
  /// Loads only the first `hosts` of `cluster`, which `platform` is.
  Engine(const BuiltPlatform& platform, Depth depth, const FlatCluster& cluster, std::size_t hosts);

  /// Its file, or the label of one that was built.
  const std::filesystem::path& platform() const { return platform_; }
  /// What was loaded.
  const std::string& xml() const { return xml_; }
  /// What the platform's messages and hosts were found to cost; by default nothing. Without samples
  /// of hosts that share a processor which waited for the wires between these.
  const Calibration& calibration() const { return calibration_; }
  /// Beyond the links of their way.
  const MessageCosts& message_costs() const { return costs_; }
  /// The one that the calibration is of: between the platform's first two hosts.
  const NominalLink& calibrated_link() const { return calibrated_link_; }
  /// In the order in which the platform declares them.
  const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// Of all that are not loaded too.
  std::size_t host_count() const { return host_count_; }
  /// The platform's, without those that SimGrid adds.
  std::vector<simgrid::s4u::Link*> links() const;
  /// Throws InputError where the platform has too few hosts for so many members, on hosts of these
  /// indices, or on the first ones where `hosts` is empty.
  void require_hosts(std::size_t members, const std::vector<int>& hosts = {}) const;
  /// The hosts of so many members: those of these indices, or the first ones where `hosts` is
  /// empty. Throws InputError where the platform has too few.
  std::vector<simgrid::s4u::Host*> place(std::size_t members,
                                         const std::vector<int>& hosts = {}) const;

  /// Between two hosts. Throws InputError naming them where there is none; may abort, for which
  /// callers have an AbortGuard.
  simgrid_compat::Route route(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to) const;
  /// The same, but without a link where there is none.
  simgrid_compat::Route route_if_any(const simgrid::s4u::Host& from,
                                     const simgrid::s4u::Host& to) const;

  /// Before so many actors, and any, are started. A process may have some 65,000 mappings by
  /// default, of which a stack with a page beneath it that nobody may touch takes two: many actors
  /// do without.
  static void expect_actors(std::size_t actors);

  /// Gives every link so many times its bandwidth and its latency. What a calibration adds to links
  /// is of the hosts, and stays.
  void scale_links(double bandwidth_factor, double latency_factor);

  /// Runs until no actor can go on. Those that are left over, having waited for what never came,
  /// are killed.
  void run();

  /// Version and settings, for run.json.
  nlohmann::json describe() const;

 private:
  void start();
  void load(const std::filesystem::path& file, std::size_t host_count);
  void require_makeable_hosts() const;
  void check_links() const;
  void require_constant_latencies() const;
  void load_calibration();
  void leave_out_waits_for_wires();
  void set_network_factors();

  std::filesystem::path platform_;
  std::string xml_;
  Depth depth_;
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::size_t host_count_ = 0;  ///< of the platform, loaded or not
  Calibration calibration_;
  MessageCosts costs_;
  NominalLink calibrated_link_ = {};
};

}  // namespace tandem
