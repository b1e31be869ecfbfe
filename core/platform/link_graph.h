#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/platform/host_network.h"

namespace tandem {

/// All routes between a network's hosts, as a graph in which bytes flow from link to link.
class LinkGraph {
 public:
  explicit LinkGraph(HostNetwork& network);

  int hosts() const { return hosts_; }
  bool is_connected() const { return is_connected_; }
  const std::vector<NetworkLink>& links() const { return links_; }
  const std::vector<int>& route(int from, int to) const { return routes_[from * hosts_ + to]; }

  /// The links, of least bandwidth together, of which every route from the hosts of `from` to those
  /// of `to` crosses one; sorted. Nothing where messages have a way without shared links.
  std::vector<int> minimum_cut(const std::vector<int>& from, const std::vector<int>& to) const;
  /// The same for messages of these pairs, from the first to the second.
  std::vector<int> minimum_cut(const std::vector<std::pair<int, int>>& pairs) const;

  /// The hosts on the side of `from` of the minimum cut between it and `to`, where hosts may pass
  /// on what others send.
  std::vector<int> narrow_side(int from, int to) const;

 private:
  int hosts_;
  bool is_connected_ = true;
  std::vector<NetworkLink> links_;
  std::vector<std::vector<int>> routes_;
};

}  // namespace tandem
