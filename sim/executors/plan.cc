#include "sim/executors/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

// What still counts as the same cost: sums in another order differ by less.
constexpr double kSame = 1e-9;

bool same(double a, double b) {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

int most_rounds(Schedules schedules) {
  int rounds = 0;
  for (const auto& schedule : schedules) rounds = std::max(rounds, schedule->rounds());
  return rounds;
}

void read_round(Schedules schedules, int k, std::vector<Round>& rounds) {
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    rounds[rank] = k < schedules[rank]->rounds() ? schedules[rank]->round(k) : Round{};
  }
}

const ReceivePiece* find_receive(const Round& round, int source) {
  const auto piece = std::ranges::find(round.receives, source, &ReceivePiece::peer);
  return piece == round.receives.end() ? nullptr : &*piece;
}

std::size_t elements_to_add(const Round& round) {
  std::size_t elements = 0;
  for (const ReceivePiece& piece : round.receives) {
    if (piece.action == Action::kAdd) elements += piece.elements;
  }
  return elements;
}

bool same_peers(const std::vector<Round>& a, const std::vector<Round>& b) {
  return std::ranges::equal(a, b, [](const Round& x, const Round& y) {
    return std::ranges::equal(x.sends, y.sends, {}, &SendPiece::peer, &SendPiece::peer);
  });
}

/// The largest piece of the round, and whether none is smaller by more than the one element by
/// which near-equal chunks differ.
struct Sizes {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  std::size_t largest = 0;
  void add(std::size_t size) {
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  bool alike() const { return largest - smallest <= 1; }
};

}  // namespace

CollectivePlan::CollectivePlan(Schedules schedules, std::size_t element_bytes, Fabric& fabric,
                               const AddingTime& adding_time)
    : element_bytes_(element_bytes),
      adding_time_(adding_time),
      edges_(schedules.size()),
      traffic_(schedules.size()) {
  check_pairs(schedules, fabric);
  if (!refusal_ && !shared_link_.empty()) check_in_step(schedules, fabric);
}

std::string CollectivePlan::reason() const {
  if (kind_ == Kind::kApart) return "no link is used by two messages of the collective at once";
  return fmt::format("link {} is shared, but all pairs cost the same", shared_link_);
}

std::optional<std::string> CollectivePlan::shared_with(const CollectivePlan& other) const {
  for (const auto& [link, users] : users_) {
    const auto others = other.users_.find(link);
    if (others == other.users_.end()) continue;
    LinkUsers both = users;
    both.join(others->second);
    if (both.may_meet()) return link->get_name();
  }
  return std::nullopt;
}

void CollectivePlan::check_pairs(Schedules schedules, Fabric& fabric) {
  Rounds rounds(schedules.size());
  for (int k = 0; k < most_rounds(schedules) && !refusal_; ++k) {
    read_round(schedules, k, rounds);
    check_round(k, rounds, fabric);
  }
}

void CollectivePlan::check_round(int k, const Rounds& rounds, Fabric& fabric) {
  std::size_t sends = 0;
  std::size_t receives = 0;
  for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
    const int source = static_cast<int>(rank);
    receives += rounds[rank].receives.size();
    for (const SendPiece& piece : rounds[rank].sends) {
      ++sends;
      const ReceivePiece* receive = find_receive(rounds[piece.peer], source);
      const auto to_peer = std::ranges::count(rounds[rank].sends, piece.peer, &SendPiece::peer);
      if (receive == nullptr || receive->elements != piece.elements || to_peer > 1) {
        refusal_ = fmt::format("round {} of rank {} does not pair up with its peers'", k, rank);
        return;
      }
      add_edge(source, piece.peer, fabric);
      count(source, piece.peer, piece.elements);
    }
    check_one_at_a_time(source, rounds[rank], fabric);
  }
  if (sends != receives) refusal_ = fmt::format("round {} has more receives than sends", k);
}

void CollectivePlan::add_edge(int source, int destination, Fabric& fabric) {
  const auto known = std::ranges::find(edges_[source], destination, &Edge::peer);
  if (known != edges_[source].end()) return;
  const Path& path = fabric.path(source, destination);
  if (path.has_bursts) refusal_ = "a link lets bursts through, which depend on when it rested";
  edges_[source].push_back({destination, path});
  for (const simgrid::s4u::Link* link : path.shared_links) {
    const LinkUsers pair = {source, destination};
    LinkUsers& users = users_.try_emplace(link, pair).first->second;
    users.join(pair);
    if (users.may_meet()) shared_link_ = link->get_name();
  }
}

void CollectivePlan::check_one_at_a_time(int rank, const Round& round, Fabric& fabric) {
  std::vector<const simgrid::s4u::Link*> used;
  const auto use = [&](const Path& path) {
    for (const simgrid::s4u::Link* link : path.shared_links) {
      if (std::ranges::find(used, link) != used.end()) shared_link_ = link->get_name();
      used.push_back(link);
    }
  };
  if (round.sends.size() > 1) {
    for (const SendPiece& piece : round.sends) use(fabric.path(rank, piece.peer));
  }
  used.clear();
  if (round.receives.size() > 1) {
    for (const ReceivePiece& piece : round.receives) use(fabric.path(piece.peer, rank));
  }
}

const CollectivePlan::Edge& CollectivePlan::edge(int source, int destination) const {
  return *std::ranges::find(edges_[source], destination, &Edge::peer);
}

void CollectivePlan::count(int source, int destination, std::size_t elements) {
  const std::uint64_t bytes = elements * element_bytes_;
  const std::uint64_t packets = (bytes + kSegmentBytes - 1) / kSegmentBytes;
  traffic_[source].sent_bytes += bytes;
  traffic_[source].sent_messages += 1;
  traffic_[source].sent_packets += packets;
  traffic_[destination].received_bytes += bytes;
  traffic_[destination].received_messages += 1;
  traffic_[destination].received_packets += packets;
}

void CollectivePlan::check_in_step(Schedules schedules, Fabric& fabric) {
  kind_ = Kind::kInStep;
  Rounds rounds(schedules.size());
  Rounds before;
  for (int k = 0; k < most_rounds(schedules) && !refusal_; ++k) {
    read_round(schedules, k, rounds);
    if (!check_members_alike(k, rounds)) return;
    if (!same_peers(rounds, before) && !check_shares_alike(rounds, fabric)) return;
    Sizes sent;
    Seconds adding = 0;
    for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
      for (const SendPiece& piece : rounds[rank].sends) sent.add(piece.elements);
      const std::size_t added = elements_to_add(rounds[rank]) * element_bytes_;
      if (added > 0) adding = std::max(adding, adding_time_(static_cast<int>(rank), added));
    }
    duration_ += path_.time(sent.largest * element_bytes_, share_) + adding;
    std::swap(before, rounds);
    rounds.resize(before.size());
  }
}

bool CollectivePlan::check_members_alike(int k, const Rounds& rounds) {
  Sizes sizes, added, sends, receives;
  Seconds slowest = 0;
  Seconds fastest = kForever;
  for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
    for (const SendPiece& piece : rounds[rank].sends) sizes.add(piece.elements);
    sends.add(rounds[rank].sends.size());
    receives.add(rounds[rank].receives.size());
    added.add(elements_to_add(rounds[rank]));
  }
  for (std::size_t rank = 0; added.largest > 0 && rank < rounds.size(); ++rank) {
    const Seconds time = adding_time_(static_cast<int>(rank), added.largest * element_bytes_);
    slowest = std::max(slowest, time);
    fastest = std::min(fastest, time);
  }
  const bool alike = sizes.alike() && added.alike() && sends.smallest == sends.largest &&
                     receives.smallest == receives.largest && sends.smallest > 0 &&
                     (added.largest == 0 || same(slowest, fastest));
  if (!alike) {
    refusal_ = fmt::format("link {} is shared, and in round {} not all ranks do the same",
                           shared_link_, k);
  }
  return alike;
}

bool CollectivePlan::check_shares_alike(const Rounds& rounds, Fabric& fabric) {
  std::unordered_map<const simgrid::s4u::Link*, int> flows;
  for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
    for (const SendPiece& piece : rounds[rank].sends) {
      for (const auto* link : fabric.path(static_cast<int>(rank), piece.peer).shared_links) {
        ++flows[link];
      }
    }
  }
  bool first = true;
  const bool costs_something = !fabric.costs().segments().empty();
  for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
    for (const SendPiece& piece : rounds[rank].sends) {
      const Path& path = fabric.path(static_cast<int>(rank), piece.peer);
      double share = path.bandwidth;
      for (const auto* link : path.shared_links) {
        share = std::min(share, link->get_bandwidth() / flows[link]);
      }
      if (first) {
        path_ = path;
        share_ = share;
        first = false;
      } else if (!same(path_.latency, path.latency) || !same(share_, share) ||
                 (costs_something && !same(path_.bandwidth, path.bandwidth))) {
        refusal_ = fmt::format("link {} is shared, and pairs differ in latency or bandwidth",
                               shared_link_);
        return false;
      }
    }
  }
  return true;
}

std::vector<Seconds> CollectivePlan::finish_times(Schedules schedules,
                                                  std::span<const Seconds> arrivals) const {
  std::vector<Seconds> now(arrivals.begin(), arrivals.end());
  if (kind_ == Kind::kInStep) {
    for (Seconds& time : now) time += duration_;
    return now;
  }
  std::vector<Seconds> end;
  std::vector<std::size_t> added(now.size());
  for (int k = 0; k < most_rounds(schedules); ++k) {
    end = now;
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      const Round round = k < schedules[rank]->rounds() ? schedules[rank]->round(k) : Round{};
      added[rank] = elements_to_add(round) * element_bytes_;
      for (const SendPiece& piece : round.sends) {
        const Edge& way = edge(static_cast<int>(rank), piece.peer);
        const Seconds done =
            std::max(now[rank], now[piece.peer]) + way.path.time(piece.elements * element_bytes_);
        end[rank] = std::max(end[rank], done);
        end[piece.peer] = std::max(end[piece.peer], done);
      }
    }
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      now[rank] = end[rank];
      if (added[rank] > 0) now[rank] += adding_time_(static_cast<int>(rank), added[rank]);
    }
  }
  return now;
}

}  // namespace tandem
