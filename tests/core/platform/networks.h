#pragma once

#include <map>
#include <string>

#include "core/platform/host_network.h"

namespace tandem {

/// Hosts on switches, and these on one more: every link has a bandwidth each way.
class TreeNetwork final : public HostNetwork {
 public:
  /// `switches`: of each host, which switch it is on. With one switch there are no uplinks.
  TreeNetwork(std::vector<int> switches, double bandwidth, double uplink_bandwidth,
              Seconds latency = 0)
      : switches_(std::move(switches)),
        bandwidth_(bandwidth),
        uplink_bandwidth_(uplink_bandwidth),
        latency_(latency) {}

  int hosts() const override { return static_cast<int>(switches_.size()); }
  const std::vector<NetworkLink>& links() const override { return links_; }

  HostRoute route(int from, int to) override {
    HostRoute route;
    add(route, "up", from, bandwidth_);
    if (switches_[from] != switches_[to]) {
      add(route, "uplink", switches_[from], uplink_bandwidth_);
      add(route, "downlink", switches_[to], uplink_bandwidth_);
    }
    add(route, "down", to, bandwidth_);
    return route;
  }

 private:
  void add(HostRoute& route, const std::string& kind, int number, double bandwidth) {
    const std::string name = kind + "-" + std::to_string(number);
    const auto [known, is_new] = numbers_.try_emplace(name, static_cast<int>(links_.size()));
    if (is_new)
      links_.push_back({.name = name, .bandwidth = bandwidth, .is_shared = true, .burst = 0});
    route.links.push_back(known->second);
    route.latency += latency_;
  }

  std::vector<int> switches_;
  double bandwidth_, uplink_bandwidth_;
  Seconds latency_;
  std::vector<NetworkLink> links_;
  std::map<std::string, int> numbers_;
};

/// Hosts on one switch, with a bandwidth each to it and from it.
class UnequalStarNetwork final : public HostNetwork {
 public:
  UnequalStarNetwork(const std::vector<double>& up, const std::vector<double>& down)
      : hosts_(static_cast<int>(up.size())) {
    for (const auto& bandwidths : {up, down}) {
      for (const double bandwidth : bandwidths)
        links_.push_back({.name = "link-" + std::to_string(links_.size()),
                          .bandwidth = bandwidth,
                          .is_shared = true,
                          .burst = 0});
    }
  }

  int hosts() const override { return hosts_; }
  const std::vector<NetworkLink>& links() const override { return links_; }
  HostRoute route(int from, int to) override { return {.links = {from, hosts_ + to}}; }

 private:
  int hosts_;
  std::vector<NetworkLink> links_;
};

/// Hosts with a half-duplex link to the next one and from the last to the first: messages go the
/// shorter way round. `numbers` is the host at each place of the ring.
class CircleNetwork final : public HostNetwork {
 public:
  explicit CircleNetwork(std::vector<int> numbers) : places_(numbers.size()) {
    for (int place = 0; place < hosts(); ++place) {
      places_[numbers[place]] = place;
      links_.push_back({.name = "link-" + std::to_string(place),
                        .bandwidth = 1e9,
                        .is_shared = true,
                        .burst = 0});
    }
  }

  int hosts() const override { return static_cast<int>(places_.size()); }
  const std::vector<NetworkLink>& links() const override { return links_; }

  HostRoute route(int from, int to) override {
    const int ahead = (places_[to] - places_[from] + hosts()) % hosts();
    HostRoute route;
    if (2 * ahead <= hosts()) {
      for (int i = 0; i < ahead; ++i) route.links.push_back((places_[from] + i) % hosts());
    } else {
      for (int i = 0; i < hosts() - ahead; ++i)
        route.links.push_back((places_[from] - 1 - i + hosts()) % hosts());
    }
    return route;
  }

 private:
  std::vector<int> places_;
  std::vector<NetworkLink> links_;
};

}  // namespace tandem
