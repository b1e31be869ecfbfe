#include "sim/executors/folded.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/burst.h"
#include "sim/executors/plan.h"
#include "sim/short_cut_failed.h"

namespace tandem {
namespace {

/// The messages over a link in a round in which each of three ranks sends to the next: of a link of
/// two hosts at most two, of one that all share three.
std::map<const simgrid::s4u::Link*, int> messages_of_three(Fabric& fabric) {
  std::map<const simgrid::s4u::Link*, int> messages;
  for (int rank = 0; rank < 3; ++rank) {
    for (const auto* link : fabric.path(rank, (rank + 1) % 3).shared_links) ++messages[link];
  }
  return messages;
}

}  // namespace

FoldedPlan::FoldedPlan(const Schedule& part, std::size_t element_bytes, Fabric& fabric,
                       const MemberDevice& device)
    : one_by_one_(static_cast<long>(part.ranks()) * part.rounds() <= CollectivePlan::kOneByOne) {
  const Path& path = fabric.path(0, 1);
  if (path.has_bursts) refusal_ = kBurstRefusal;
  share_ = fair_share(path, fabric, part.ranks());
  for (int k = 0; k < part.rounds() && !refusal_;) {
    const Stretch stretch = part.stretch(k, part.rounds() - k);
    if (!stretch.sent_by_all) {
      refusal_ = fmt::format("in round {} of {} not all ranks do the same", k, part.name());
      return;
    }
    add(stretch, part.ranks(), element_bytes, path, device);
    k += stretch.rounds;
  }
}

double FoldedPlan::fair_share(const Path& path, Fabric& fabric, int ranks) {
  const auto of_three = messages_of_three(fabric);
  double share = path.bandwidth;
  for (const simgrid::s4u::Link* link : path.shared_links) {
    const int messages = of_three.at(link) == 3 ? ranks : of_three.at(link);
    if (messages > 1) shared_link_ = link->get_name();
    share = std::min(share, link->get_bandwidth() / messages);
  }
  return share;
}

void FoldedPlan::add(const Stretch& stretch, int ranks, std::size_t element_bytes, const Path& path,
                     const MemberDevice& device) {
  const std::size_t messages = static_cast<std::size_t>(ranks) * stretch.rounds;
  const std::size_t smallest = *stretch.sent_by_all / messages;
  const std::size_t larger = *stretch.sent_by_all % messages;
  const std::size_t bytes = (smallest + (larger > 0 ? 1 : 0)) * element_bytes;
  const bool is_uneven = path.time(bytes, share_) > (1 + CollectivePlan::kUneven) *
                                                        path.time(smallest * element_bytes, share_);
  if (larger > 0 && (one_by_one_ || is_uneven)) {
    refusal_ = "pieces differ by an element, which counts with so few ranks or so small pieces";
    return;
  }
  const bool adds = stretch.sum.receives.front().action == Action::kAdd;
  const Seconds reduce = adds ? device.adding_time(bytes) : 0;
  duration_ += stretch.rounds * (path.time(bytes, share_) + reduce);
  time_.latency += stretch.rounds * path.latency;
  time_.reduce += stretch.rounds * reduce;
  const std::uint64_t all_packets = packets_of(*stretch.sent_by_all, messages, element_bytes);
  const std::uint64_t all_bytes = *stretch.sent_by_all * element_bytes;
  traffic_ = traffic_ + Traffic{.sent_bytes = all_bytes,
                                .received_bytes = all_bytes,
                                .sent_messages = messages,
                                .received_messages = messages,
                                .sent_packets = all_packets,
                                .received_packets = all_packets};
}

std::string FoldedPlan::reason() const {
  if (shared_link_.empty()) return "no link is used by two messages of the collective at once";
  return fmt::format("link {} is shared, but all pairs cost the same", shared_link_);
}

void FoldedExecutor::start(int, std::unique_ptr<const Schedule> schedule, View view,
                           std::shared_ptr<SimOperation> operation) {
  const std::size_t element_bytes = size_of(view.dtype);
  const std::tuple key(std::string(schedule->name()), schedule->elements(), element_bytes);
  auto known = plans_.find(key);
  if (known == plans_.end()) {
    FoldedPlan plan(*schedule, element_bytes, fabric_, member_.device);
    if (plan.refusal()) throw ShortCutFailed(ShortCut::kFolding, *plan.refusal());
    known = plans_.emplace(key, std::move(plan)).first;
  }
  const FoldedPlan& plan = known->second;
  const Seconds begin = std::max(simgrid::s4u::Engine::get_clock(), free_at_);
  free_at_ = begin + plan.duration();
  member_.recorder.transferred(plan.traffic());
  const MessageMark mark{marks_.next(*schedule), member_.recorder.position(), plan.time()};
  member_.recorder.communicated(schedule->name(), begin, free_at_, view.bytes(), -1, mark);
  operation->moved.message = mark.id;
  operation->completes_at = free_at_;
}

}  // namespace tandem
