#include "core/platform/topology_xml.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {
namespace {

/// SimGrid wants a speed of hosts, which is not used: device profiles give all computing times.
constexpr const char* kSpeed = "1Gf";

/// What every host says of its device.
std::string properties(const Topology& topology) {
  std::string text;
  if (topology.device) text += fmt::format(R"(<prop id="device" value="{}"/>)", *topology.device);
  if (topology.speed) text += fmt::format(R"(<prop id="speed" value="{}"/>)", *topology.speed);
  return text;
}

std::string cluster(const std::string& id, const std::string& prefix, int first, int last,
                    double bandwidth, double latency, const std::string& more,
                    const std::string& properties) {
  return fmt::format(
      R"(    <cluster id="{}" prefix="{}" suffix="" radical="{}-{}" speed="{}" bw="{}Bps" lat="{}s")"
      "\n"
      R"(             sharing_policy="SPLITDUPLEX" {}>{}</cluster>)"
      "\n",
      id, prefix, first, last, kSpeed, bandwidth, latency, more, properties);
}

std::string link(const std::string& id, double bandwidth, double latency) {
  return fmt::format(
      R"(    <link id="{}" bandwidth="{}Bps" latency="{}s" sharing_policy="SPLITDUPLEX"/>)"
      "\n",
      id, bandwidth, latency);
}

/// Around the routing zone's `content`.
std::string document(const std::string& routing, const std::string& content) {
  return fmt::format(
      "<?xml version='1.0'?>\n"
      R"(<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)"
      "\n"
      R"(<platform version="4.1">)"
      "\n"
      R"(  <zone id="platform" routing="{}">)"
      "\n{}  </zone>\n</platform>\n",
      routing, content);
}

/// One <cluster>, which SimGrid arranges; 4.0 crashes on one without a zone around it.
std::string arranged(const Topology& topology, int hosts, const std::string& arrangement) {
  return document("Full", cluster("hosts", "host-", 0, hosts - 1, *topology.bandwidth,
                                  *topology.latency, arrangement, properties(topology)));
}

/// The hosts on links of their own, so many a group, which has one link out.
struct Groups {
  std::string prefix;       ///< of a group's number
  std::string host_prefix;  ///< before the host's number in its group; empty: counted through
  int size = 0;
  double bandwidth = 0, latency = 0;  ///< of a host's link
  double uplink_bandwidth = 0, uplink_latency = 0;
};

std::string grouped(const Topology& topology, const Groups& groups, int hosts) {
  std::string clusters, links, routes;
  for (int group = 0; group * groups.size < hosts; ++group) {
    const std::string name = groups.prefix + std::to_string(group);
    const int first = group * groups.size;
    const int size = std::min(groups.size, hosts - first);
    const bool counted_through = groups.host_prefix.empty();
    clusters += cluster(name, counted_through ? "host-" : name + groups.host_prefix,
                        counted_through ? first : 0, (counted_through ? first : 0) + size - 1,
                        groups.bandwidth, groups.latency,
                        fmt::format(R"(router_id="{}_switch")", name), properties(topology));
    links += link(name + "_uplink", groups.uplink_bandwidth, groups.uplink_latency);
    routes += fmt::format(
        R"(    <zoneRoute src="{0}" dst="core" gw_src="{0}_switch" gw_dst="core_switch">)"
        R"(<link_ctn id="{0}_uplink" direction="UP"/></zoneRoute>)"
        "\n",
        name);
  }
  const std::string core =
      R"(    <zone id="core" routing="None"><router id="core_switch"/></zone>)";
  return document("DijkstraCache", clusters + core + "\n" + links + routes);
}

/// Routes have the fewest links, so that the way into a node's switch and out by another GPU's NIC
/// beats the way out, into the other node, and on from there.
std::string rail_pod(const Topology& topology, int hosts) {
  const int gpus = *topology.gpus;
  std::string points, switches, links, routes;
  const auto route = [](const std::string& from, const std::string& to, const std::string& link,
                        const char* more = "") {
    return fmt::format(
        R"(    <route src="{}" dst="{}"{}><link_ctn id="{}" direction="UP"/></route>)"
        "\n",
        from, to, more, link);
  };
  for (int rail = 0; rail < gpus; ++rail) {
    switches += fmt::format("    <router id=\"rail-{}\"/>\n", rail);
  }
  for (int host = 0; host < hosts; ++host) {
    const std::string node = fmt::format("node-{}", host / gpus);
    const std::string rail = fmt::format("rail-{}", host % gpus);
    const std::string gpu = fmt::format("{}-gpu-{}", node, host % gpus);
    points += fmt::format("    <host id=\"{}\" speed=\"{}\">{}</host>\n", gpu, kSpeed,
                          properties(topology));
    if (host % gpus == 0) switches += fmt::format("    <router id=\"{}\"/>\n", node);
    links += link(gpu + "_port", *topology.node_bandwidth, *topology.node_latency);
    links += link(gpu + "_nic", *topology.bandwidth, *topology.latency);
    routes += route(gpu, node, gpu + "_port");
    routes += route(gpu, rail, gpu + "_nic");
    routes += route(node, rail, gpu + "_nic", R"( symmetrical="NO")");
  }
  return document("DijkstraCache", points + switches + links + routes);
}

std::string fat_tree(const Topology& topology, int hosts) {
  const std::vector<int> parents = fat_tree_parents(topology);
  const std::vector<int> single(parents.size(), 1);
  return arranged(topology, hosts,
                  fmt::format(R"(topology="FAT_TREE" topo_parameters="{};{};{};{}")",
                              parents.size(), fmt::join(topology.children, ","),
                              fmt::join(parents, ","), fmt::join(single, ",")));
}

std::string dragonfly(const Topology& topology, int hosts) {
  return arranged(topology, hosts,
                  fmt::format(R"(topology="DRAGONFLY" topo_parameters="{},1;{},1;{},1;{}")",
                              *topology.groups, topology.chassis.value_or(1), *topology.routers,
                              topology.hosts_per_router.value_or(1)));
}

}  // namespace

std::string topology_xml(const Topology& topology, int members) {
  const int hosts = host_count(topology, members);
  if (topology.name == "fat_tree") return fat_tree(topology, hosts);
  if (topology.name == "dragonfly") return dragonfly(topology, hosts);
  if (topology.name == "torus")
    return arranged(topology, hosts,
                    fmt::format(R"(topology="TORUS" topo_parameters="{}")",
                                fmt::join(topology.dimensions, ",")));
  if (topology.name == "rail_pod") return rail_pod(topology, hosts);
  if (topology.name == "cluster")
    return grouped(topology,
                   {.prefix = "rack-",
                    .host_prefix = "",
                    .size = *topology.rack_size,
                    .bandwidth = *topology.bandwidth,
                    .latency = *topology.latency,
                    .uplink_bandwidth = *topology.uplink_bandwidth,
                    .uplink_latency = topology.uplink_latency.value_or(*topology.latency)},
                   hosts);
  if (topology.name == "gpu_nodes")
    return grouped(topology,
                   {.prefix = "node-",
                    .host_prefix = "-gpu-",
                    .size = *topology.gpus,
                    .bandwidth = *topology.node_bandwidth,
                    .latency = *topology.node_latency,
                    .uplink_bandwidth = *topology.bandwidth,
                    .uplink_latency = *topology.latency},
                   hosts);
  return arranged(topology, hosts, "");
}

}  // namespace tandem
