#include "sim/used_network.h"

#include <set>

#include "sim/fabric.h"
#include "sim/way.h"

namespace tandem {
namespace {

std::set<Way> ways(const std::vector<MemberResult>& members) {
  std::set<Way> all;
  for (const MemberResult& member : members) {
    for (const Span& span : member.spans) {
      if (span.peer < 0) continue;
      all.insert(span.name == "send" ? Way{member.rank, span.peer} : Way{span.peer, member.rank});
    }
  }
  return all;
}

}  // namespace

nlohmann::json used_network(const Engine& engine, const std::vector<int>& hosts,
                            const std::vector<MemberResult>& members) {
  Fabric fabric(engine, engine.place(hosts.size(), hosts));
  nlohmann::json network = {{"hosts", nlohmann::json::array()},
                            {"links", nlohmann::json::object()},
                            {"routes", nlohmann::json::array()}};
  for (int rank = 0; rank < fabric.members(); ++rank)
    network["hosts"].push_back(fabric.host(rank)->get_name());
  for (const Way& way : ways(members)) {
    const Path& path = fabric.path(way.source, way.destination);
    nlohmann::json names = nlohmann::json::array();
    for (const simgrid::s4u::Link* link : path.shared_links) {
      names.push_back(link->get_name());
      network["links"][link->get_name()] = link->get_bandwidth();
    }
    network["routes"].push_back({way.source, way.destination, names, path.latency});
  }
  return network;
}

}  // namespace tandem
