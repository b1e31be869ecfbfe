#include "core/platform/wiring.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace tandem {
namespace {

/// Which ends of links and hosts are one place (Galler and Fischer, "An improved equivalence
/// algorithm", 1964).
class Places {
 public:
  explicit Places(int hosts) : parents_(hosts), hosts_(hosts) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  static constexpr int kBegin = 0, kEnd = 1;

  int end_of(int link, int side) {
    const int place = hosts_ + 2 * link + side;
    while (static_cast<int>(parents_.size()) <= place)
      parents_.push_back(static_cast<int>(parents_.size()));
    return place;
  }

  /// The one that stands for it: a host where it is one.
  int found(int place) {
    while (parents_[place] != place) place = parents_[place] = parents_[parents_[place]];
    return place;
  }
  bool are_one(int a, int b) { return found(a) == found(b); }

  bool has_host(int place) { return found(place) < hosts_; }

  /// Two hosts stay two.
  void join(int a, int b) {
    a = found(a);
    b = found(b);
    if (a >= hosts_ || b >= hosts_) parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parents_;
  int hosts_;
};

class Walk {
 public:
  Walk(HostNetwork& network, const std::vector<std::pair<int, int>>& pairs)
      : network_(network), places_(network.hosts()) {
    for (const auto& [from, to] : pairs) {
      routes_.push_back({from, to, network.route(from, to).links});
      if (routes_.back().links.empty()) routes_.pop_back();
    }
  }

  Wiring wiring() {
    for (const Route& route : routes_) tie_ends(route);
    for (const Route& route : routes_) tie_links(route);
    join_directions();
    find_buses();
    return numbered();
  }

 private:
  struct Route {
    int from, to;
    std::vector<int> links;
  };

  int begin_of(int link) { return places_.end_of(link, Places::kBegin); }
  int end_of(int link) { return places_.end_of(link, Places::kEnd); }

  /// To the hosts; a link that is crossed both ways has one of them at either end.
  void tie_ends(const Route& route) {
    tie(route.from, begin_of(route.links.front()), end_of(route.links.front()));
    tie(route.to, end_of(route.links.back()), begin_of(route.links.back()));
  }
  void tie(int host, int likely, int other) {
    if (places_.are_one(likely, host) || places_.are_one(other, host)) return;
    places_.join(places_.has_host(likely) ? other : likely, host);
  }

  /// To each other. A link that hosts are at an end of has no switch there, though messages of
  /// others may enter it there too.
  void tie_links(const Route& route) {
    int at = route.from;
    for (std::size_t i = 0; i < route.links.size(); ++i) {
      const int link = route.links[i];
      const int next = i + 1 < route.links.size() ? route.links[i + 1] : -1;
      const bool backwards = is_entered_by_end(link, at, next, route.to);
      const int enters = backwards ? end_of(link) : begin_of(link);
      if (!places_.has_host(at) && !places_.has_host(enters)) places_.join(at, enters);
      at = backwards ? begin_of(link) : end_of(link);
      crossed_[link] = true;
    }
  }

  /// Coming from `at`; `next` follows, or else the host `to`.
  bool is_entered_by_end(int link, int at, int next, int to) {
    crossed_.resize(network_.links().size());
    const int begin = begin_of(link), end = end_of(link);
    if (places_.are_one(begin, at)) return false;
    if (places_.are_one(end, at)) return true;
    if (next < 0) return places_.are_one(begin, to) && !places_.are_one(end, to);
    if (!crossed_[link]) return false;
    const auto leads_on = [&](int place) {
      return places_.are_one(place, begin_of(next)) || places_.are_one(place, end_of(next));
    };
    return leads_on(begin) && !leads_on(end);
  }

  using Links = std::map<int, std::set<int>>;  ///< by the place where they end, or begin

  Links links_at(int side) {
    Links found;
    for (int link = 0; link < static_cast<int>(network_.links().size()); ++link)
      found[places_.found(places_.end_of(link, side))].insert(link);
    return found;
  }

  /// What leads from one place to another and what leads back pass the same places between them,
  /// though no route says so: as where a host is alone on its switch.
  void join_directions() {
    const Links entering = links_at(Places::kEnd), leaving = links_at(Places::kBegin);
    const auto count = [](const Links& links, int place) {
      const auto found = links.find(place);
      return found == links.end() ? 0 : found->second.size();
    };
    const auto is_between = [&](int place) {
      return !places_.has_host(place) && count(entering, place) == 1 && count(leaving, place) == 1;
    };
    std::map<std::pair<int, int>, std::vector<int>> ways;  // between which places, through which
    for (const auto& [from, links] : leaving) {
      if (is_between(from)) continue;
      for (const int link : links) {
        std::vector<int> way;
        int at = places_.found(end_of(link));
        for (; is_between(at); at = places_.found(end_of(*leaving.at(at).begin())))
          way.push_back(at);
        if (!way.empty()) ways.emplace(std::pair(from, at), way);
      }
    }
    for (const auto& [ends, way] : ways) {
      const auto back = ways.find({ends.second, ends.first});
      if (back == ways.end() || back->second.size() != way.size()) continue;
      for (std::size_t i = 0; i < way.size(); ++i) places_.join(way[i], back->second.rbegin()[i]);
    }
  }

  /// What is entered at one end alone and left at the other alone.
  void find_buses() {
    Links entering = links_at(Places::kEnd), leaving = links_at(Places::kBegin);
    const int links = static_cast<int>(network_.links().size());
    for (int link = 0; link < links; ++link) {
      const int begin = begin_of(link), end = end_of(link);
      const bool is_bus = !places_.has_host(begin) && !places_.has_host(end) &&
                          leaving[places_.found(begin)].size() == 1 &&
                          entering[places_.found(end)].size() == 1 &&
                          entering[places_.found(begin)].size() > 1;
      if (is_bus) places_.join(begin, end);
    }
  }

  Wiring numbered() {
    Wiring wired;
    std::map<int, int> numbers;
    const auto number = [&](int end) {
      const int place = places_.found(end);
      if (place < network_.hosts()) return place;
      const int next = network_.hosts() + static_cast<int>(numbers.size());
      return numbers.try_emplace(place, next).first->second;
    };
    for (int link = 0; link < static_cast<int>(network_.links().size()); ++link) {
      const int from = number(begin_of(link));
      wired.links.push_back({.from = from, .to = number(end_of(link))});
    }
    wired.meeting_places = static_cast<int>(numbers.size());
    return wired;
  }

  HostNetwork& network_;
  Places places_;
  std::vector<Route> routes_;
  std::vector<bool> crossed_;  ///< by link
};

}  // namespace

// Routes by destination modulo the number of ports leave parts apart where destinations are few or
// regular; random ones join them.
std::vector<std::pair<int, int>> wiring_pairs(int hosts) {
  constexpr int kNear = 2, kRandomRoutes = 50'000;
  std::vector<std::pair<int, int>> pairs;
  std::mt19937 random(1);
  for (int from = 0; from < hosts; ++from) {
    const auto add = [&](int to) {
      if (to != from) pairs.emplace_back(from, to);
    };
    if (hosts <= kMostWiredInFull) {
      for (int to = 0; to < hosts; ++to) add(to);
    } else {
      for (int step = -kNear; step <= kNear; ++step) add((from + step + hosts) % hosts);
      for (int i = 0; i < kRandomRoutes / hosts; ++i)
        add(static_cast<int>(random() % static_cast<unsigned>(hosts)));
    }
  }
  return pairs;
}

Wiring wiring(HostNetwork& network, const std::vector<std::pair<int, int>>& pairs) {
  return Walk(network, pairs).wiring();
}

}  // namespace tandem
