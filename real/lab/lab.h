#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tandem::lab {

/// Racks of a two-level tree, and what joins each to the others.
struct Tree {
  int racks = 0;      ///< 0: no tree, all hosts on one switch
  double uplink = 0;  ///< bytes/s of the wire, each way
};

/// A lab as it is asked for: virtual hosts h1, h2, ... and the wires between them, on the machine
/// that it was asked for on.
struct Lab {
  std::string name;
  std::vector<double> rates;  ///< of each host's wire, bytes/s each way, Ethernet headers included
  Tree tree;
  /// What hosts run on, by the system's numbers; none where it doesn't tell.
  std::vector<int> processors;

  int hosts() const { return static_cast<int>(rates.size()); }
  int rack_of(int host) const { return host * tree.racks / hosts(); }
};

/// What the command line of `up` says.
struct LabOptions {
  std::string name;
  std::optional<int> hosts;        ///< none where a tree says how many
  std::vector<std::string> rates;  ///< "1 Gbit/s" for all, "h3=200 Mbit/s" for one
  std::string tree;                ///< "2x3": two racks of three hosts; empty: no tree
  std::string uplink;
};

/// Throws InputError, naming the option, where they make no lab.
Lab read_lab(const LabOptions& options);

/// Throws InputError where a lab can't be called so.
void check_name(const std::string& name);

/// Bytes, headers included, that TCP hands the shaper of a wire of `rate` in one train at the most.
double train_bytes(double rate);

/// That the shaper lets pass at once after a rest.
double burst_bytes(double rate);

/// Those that a host's ranks run on; none where it isn't known which there are. Hosts take them by
/// turns, until none is left: of fewer than hosts, host i has number i modulo theirs.
std::vector<int> processors_of(const Lab& lab, int host);

/// "h1" for host 0.
std::string host_name(int host);

/// "rack1" for rack 0.
std::string rack_name(int rack);

/// What the lab's platform calls the wires of a host and of a rack's uplink, without "_UP" or
/// "_DOWN".
std::string link_of_host(int host);
std::string uplink_of_rack(int rack);

/// The host that `key` of a scenario names. Throws InputError, with the nearest name, where the lab
/// has none.
int host_called(const Lab& lab, const std::string& name, const std::string& key);

nlohmann::json to_json(const Lab& lab);
Lab lab_from_json(const nlohmann::json& source);

}  // namespace tandem::lab
