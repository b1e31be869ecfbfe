#include "sim/executors/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/burst.h"

namespace tandem {
namespace {

const ReceivePiece* find_receive(const Round& round, int source) {
  const auto piece = std::ranges::find(round.receives, source, &ReceivePiece::peer);
  return piece == round.receives.end() ? nullptr : &*piece;
}

}  // namespace

CollectivePlan::CollectivePlan(Schedules schedules, std::size_t element_bytes, Fabric& fabric,
                               const AddingTime& adding_time)
    : element_bytes_(element_bytes),
      adding_time_(adding_time),
      one_by_one_(static_cast<long>(schedules.size()) * most_rounds(schedules) <= kOneByOne),
      edges_(schedules.size()),
      traffic_(schedules.size()) {
  check_pairs(schedules, fabric);
  count_links();
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
  Stretches stretches(schedules.size());
  const int rounds = most_rounds(schedules);
  for (int k = 0; k < rounds && !refusal_;) {
    const int like = read_stretches(schedules, k, rounds - k, stretches);
    check_stretch(k, stretches, fabric);
    one_by_one_ = one_by_one_ || !is_even(stretches);
    k += like;
  }
}

void CollectivePlan::check_stretch(int k, const Stretches& stretches, Fabric& fabric) {
  std::size_t sends = 0;
  std::size_t receives = 0;
  for (std::size_t rank = 0; rank < stretches.size(); ++rank) {
    const int source = static_cast<int>(rank);
    const Round& round = stretches[rank].sum;
    receives += round.receives.size();
    for (const SendPiece& piece : round.sends) {
      ++sends;
      const ReceivePiece* receive = find_receive(stretches[piece.peer].sum, source);
      const auto to_peer = std::ranges::count(round.sends, piece.peer, &SendPiece::peer);
      if (receive == nullptr || receive->elements != piece.elements || to_peer > 1) {
        refusal_ = fmt::format("round {} of rank {} does not pair up with its peers'", k, rank);
        return;
      }
      const std::size_t least = smallest_of(piece.elements, stretches[rank].rounds);
      if (fabric.goes_unasked(source, piece.peer, least * element_bytes_)) {
        refusal_ = "messages so small are sent unasked, before their receivers are there";
        return;
      }
      add_edge(source, piece.peer, fabric);
      if (refusal_) return;
      count(source, piece.peer, piece.elements, stretches[rank].rounds);
    }
    check_one_at_a_time(source, round, fabric);
  }
  if (sends != receives) refusal_ = fmt::format("round {} has more receives than sends", k);
}

// Whether an element more or less is as good as nothing to its messages, or all are equal.
bool CollectivePlan::is_even(const Stretches& stretches) const {
  if (refusal_ || one_by_one_) return true;
  for (std::size_t rank = 0; rank < stretches.size(); ++rank) {
    for (const SendPiece& piece : stretches[rank].sum.sends) {
      const std::size_t size = smallest_of(piece.elements, stretches[rank].rounds);
      const Path& way = path(static_cast<int>(rank), piece.peer);
      const Seconds time = way.time(size * element_bytes_);
      if (way.time((size + 1) * element_bytes_) > (1 + kUneven) * time) return false;
    }
  }
  return true;
}

void CollectivePlan::add_edge(int source, int destination, Fabric& fabric) {
  const auto known = std::ranges::find(edges_[source], destination, &Edge::peer);
  if (known != edges_[source].end()) return;
  const Path& path = fabric.path(source, destination);
  if (path.has_bursts) refusal_ = kBurstRefusal;
  edges_[source].push_back({destination, &path});
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

const Path& CollectivePlan::path(int source, int destination) const {
  return *std::ranges::find(edges_[source], destination, &Edge::peer)->path;
}

void CollectivePlan::count_links() {
  std::unordered_map<int, double> bytes;
  for (const std::vector<Edge>& of_source : edges_) {
    for (const Edge& edge : of_source)
      for (const int link : edge.path->links) bytes[link] += edge.bytes;
  }
  for (const auto& [link, sum] : bytes) link_bytes_.push_back({link, sum});
}

// Messages of near-equal size, `elements` in all.
void CollectivePlan::count(int source, int destination, std::size_t elements, int messages) {
  const auto number = static_cast<std::uint64_t>(messages);
  const std::uint64_t all_packets = packets_of(elements, number, element_bytes_);
  std::ranges::find(edges_[source], destination, &Edge::peer)->bytes +=
      static_cast<double>(elements * element_bytes_);
  traffic_[source].sent_bytes += elements * element_bytes_;
  traffic_[source].sent_messages += number;
  traffic_[source].sent_packets += all_packets;
  traffic_[destination].received_bytes += elements * element_bytes_;
  traffic_[destination].received_messages += number;
  traffic_[destination].received_packets += all_packets;
}

}  // namespace tandem
