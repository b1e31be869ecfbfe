#include "core/platform/link_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <set>

namespace tandem {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct Vertex {
  boost::default_color_type colour = boost::white_color;
  Traits::edge_descriptor predecessor = {};
};

struct Edge {
  double capacity = 0;
  double residual = 0;
  Traits::edge_descriptor reverse = {};
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Vertex, Edge>;

/// Bytes flow from sending hosts through links to receiving ones. A link is an edge between a
/// vertex where they enter it and one where they leave it; other edges are as wide as all links
/// together.
class Flow {
 public:
  explicit Flow(const LinkGraph& links)
      : links_(links), graph_(2 * (links.links().size() + links.hosts()) + 2) {
    for (const NetworkLink& link : links.links()) unbounded_ += link.bandwidth;
  }

  void add_route(int from, int to) {
    std::size_t at = sender(from);
    for (const int link : links_.route(from, to)) {
      steps_.emplace(at, entry(link));
      at = exit(link);
      used_.insert(link);
    }
    steps_.emplace(at, receiver(to));
  }

  /// Hosts send what they received.
  void pass_on() {
    for (int host = 0; host < links_.hosts(); ++host) steps_.emplace(receiver(host), sender(host));
  }

  /// From the hosts of `sources` to those of `sinks`. After it is_reached() is known.
  void solve(const std::vector<int>& sources, const std::vector<int>& sinks) {
    for (const auto& [from, to] : steps_) add_edge(from, to, unbounded_);
    for (const int link : used_) add_edge(entry(link), exit(link), capacity(link));
    for (const int from : sources) add_edge(source(), sender(from), unbounded_);
    for (const int to : sinks) add_edge(receiver(to), sink(), unbounded_);
    boost::edmonds_karp_max_flow(graph_, source(), sink(),
                                 boost::capacity_map(get(&Edge::capacity, graph_))
                                     .residual_capacity_map(get(&Edge::residual, graph_))
                                     .reverse_edge_map(get(&Edge::reverse, graph_))
                                     .color_map(get(&Vertex::colour, graph_))
                                     .predecessor_map(get(&Vertex::predecessor, graph_)));
  }

  /// Whether more bytes could come there.
  bool is_reached(std::size_t vertex) const { return graph_[vertex].colour != boost::white_color; }
  bool is_cut(int link) const { return is_reached(entry(link)) && !is_reached(exit(link)); }
  const std::set<int>& used() const { return used_; }

  static std::size_t entry(int link) { return 2UL * static_cast<unsigned>(link); }
  static std::size_t exit(int link) { return entry(link) + 1; }
  std::size_t sender(int host) const { return 2 * links_.links().size() + host; }
  std::size_t receiver(int host) const { return sender(host) + links_.hosts(); }

 private:
  std::size_t source() const { return num_vertices(graph_) - 2; }
  std::size_t sink() const { return num_vertices(graph_) - 1; }

  double capacity(int link) const {
    return links_.links()[link].is_shared ? links_.links()[link].bandwidth : unbounded_;
  }

  void add_edge(std::size_t from, std::size_t to, double capacity) {
    const auto forward =
        boost::add_edge(from, to, Edge{.capacity = capacity, .residual = 0}, graph_).first;
    const auto backward = boost::add_edge(to, from, Edge{}, graph_).first;
    graph_[forward].reverse = backward;
    graph_[backward].reverse = forward;
  }

  const LinkGraph& links_;
  Graph graph_;
  double unbounded_ = 1;
  std::set<std::pair<std::size_t, std::size_t>> steps_;
  std::set<int> used_;
};

}  // namespace

LinkGraph::LinkGraph(HostNetwork& network)
    : hosts_(network.hosts()), routes_(static_cast<std::size_t>(hosts_) * hosts_) {
  for (int from = 0; from < hosts_; ++from) {
    for (int to = 0; to < hosts_; ++to) {
      if (from == to) continue;
      routes_[from * hosts_ + to] = network.route(from, to).links;
      if (route(from, to).empty()) is_connected_ = false;
    }
  }
  links_ = network.links();  // now that all routes have named theirs
}

std::vector<int> LinkGraph::minimum_cut(const std::vector<int>& from,
                                        const std::vector<int>& to) const {
  std::vector<std::pair<int, int>> pairs;
  for (const int source : from) {
    for (const int sink : to) pairs.emplace_back(source, sink);
  }
  return minimum_cut(pairs);
}

std::vector<int> LinkGraph::minimum_cut(const std::vector<std::pair<int, int>>& pairs) const {
  Flow flow(*this);
  std::set<int> sources, sinks;
  for (const auto& [from, to] : pairs) {
    flow.add_route(from, to);
    sources.insert(from);
    sinks.insert(to);
  }
  flow.solve({sources.begin(), sources.end()}, {sinks.begin(), sinks.end()});
  std::vector<int> cut;
  for (const int link : flow.used()) {
    if (!flow.is_cut(link)) continue;
    if (!links_[link].is_shared) return {};
    cut.push_back(link);
  }
  return cut;
}

std::vector<int> LinkGraph::narrow_side(int from, int to) const {
  Flow flow(*this);
  for (int source = 0; source < hosts_; ++source) {
    for (int sink = 0; sink < hosts_; ++sink) {
      if (source != sink) flow.add_route(source, sink);
    }
  }
  flow.pass_on();
  flow.solve({from}, {to});
  std::vector<int> side;
  for (int host = 0; host < hosts_; ++host) {
    if (flow.is_reached(flow.sender(host))) side.push_back(host);
  }
  return side;
}

}  // namespace tandem
