#pragma once

#include <string>
#include <vector>

#include "core/platform/host_network.h"
#include "core/platform/link_graph.h"
#include "core/platform/topology.h"

namespace tandem {

/// How fast a platform lets its hosts sum up buffers, by whatever algorithm: a lower bound on the
/// time of an all-reduce.
///
/// Cut the hosts into k parts. Every number of the result takes at least 2(k-1) messages of itself,
/// or of a partial sum, between parts: k-1 until one part has all in it, and k-1 until all parts
/// have the result (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", JPDC 2009, with parts for their nodes). Each of these messages crosses links of
/// the cut. With S bytes, B the cut's bandwidth and m the links of it that a message crosses at
/// least, the all-reduce takes no less than
///
///     2 (k-1) m S / B
///
/// The cuts are minimum cuts, of maximum flow (Ford and Fulkerson, 1956): that of all messages
/// between parts, and those between each part and all others, of which the links out of all parts
/// are counted, those into all parts, and both. Parts are single hosts, which gives the well-known
/// 2(N-1)/N S / B of hosts with links of bandwidth B; the runs of hosts between which messages take
/// longer, such as nodes and racks; and for two parts the halves, and the minimum cut of all.
/// Latency and additions, which make an all-reduce longer still, are left out.
class AllReduceBound {
 public:
  /// Looks at the routes between all pairs of hosts. Requires at least two hosts.
  explicit AllReduceBound(HostNetwork& network);
  /// That of so many hosts of which `network` has 3 or more, where all are alike, as all pairs are:
  /// then a link is of one host's messages, or of everyone's.
  static AllReduceBound of_alike(HostNetwork& network, int hosts);
  /// That of the first `hosts` of a described platform, 2 or more, all of whose links have so many
  /// times their bandwidth: by its parts alone, without looking at routes.
  static AllReduceBound of_topology(const Topology& topology, int hosts, double bandwidth_factor);

  /// Nothing where a message between some hosts has all the bandwidth of its links to itself, so
  /// that no cut limits them, or where some have no route.
  bool is_known() const { return !cuts_.empty(); }
  /// Of an all-reduce of `bytes`. Requires is_known().
  Seconds time(double bytes) const;
  /// The cut that limits one of `bytes`: "links nic-0_UP, nic-1_UP and 14 more", or of a described
  /// platform "links out of 64 racks".
  std::string limit(double bytes) const;

 private:
  /// Links that so many bytes cross for each byte of the buffer.
  struct Cut {
    double crossings = 0;
    std::size_t count = 0;         ///< of the links
    std::vector<int> links;        ///< them, or the first ones
    double bandwidth = 0;          ///< of all of them
    double burst = 0;              ///< that they let through at once
    std::string description = {};  ///< instead of their names

    Seconds time(double bytes) const;
  };
  using Parts = std::vector<std::vector<int>>;  ///< of hosts

  AllReduceBound() = default;
  void add_parts(const LinkGraph& graph, const Parts& parts);
  /// `each`: so many like links each of `links` stands for.
  void add_cut(const LinkGraph& graph, double crossings, std::vector<int> links, double each = 1);
  const Cut& limiting(double bytes) const;

  std::vector<Cut> cuts_;
  std::vector<std::string> names_;  ///< of links
};

/// More hosts have more pairs than a run should wait for.
inline constexpr int kMostBoundedHosts = 256;

}  // namespace tandem
