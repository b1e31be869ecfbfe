// Collectives whose messages share links, in step.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/executors/plan.h"

namespace tandem {
namespace {

// What still counts as the same cost: sums in another order differ by less.
constexpr double kSame = 1e-9;

bool same(double a, double b) {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

bool same_peers(const Stretches& a, const Stretches& b) {
  return std::ranges::equal(a, b, [](const Stretch& x, const Stretch& y) {
    return std::ranges::equal(x.sum.sends, y.sum.sends, {}, &SendPiece::peer, &SendPiece::peer);
  });
}

}  // namespace

void CollectivePlan::check_in_step(Schedules schedules, Fabric& fabric) {
  kind_ = Kind::kInStep;
  Stretches stretches(schedules.size());
  Stretches before;
  const int rounds = most_rounds(schedules);
  for (int k = 0; k < rounds && !refusal_;) {
    const int like = read_stretches(schedules, k, rounds - k, stretches);
    if (!check_members_alike(k, stretches)) return;
    if (!same_peers(stretches, before) && !check_shares_alike(stretches, fabric)) return;
    const Sizes sizes = sizes_of(stretches);
    const Seconds longest = time_in_step(stretches, sizes.largest);
    if (longest > (1 + kUneven) * time_in_step(stretches, sizes.smallest)) {
      refusal_ = fmt::format("link {} is shared, and pieces of round {} differ by an element",
                             shared_link_, k);
      return;
    }
    duration_ += like * longest;
    std::swap(before, stretches);
    stretches.resize(before.size());
    k += like;
  }
}

Seconds CollectivePlan::time_in_step(const Stretches& stretches, std::size_t elements) const {
  const std::size_t bytes = elements * element_bytes_;
  const auto added =
      std::ranges::count(stretches.front().sum.receives, Action::kAdd, &ReceivePiece::action);
  const Seconds adding = added > 0 ? adding_time_(0, static_cast<std::size_t>(added) * bytes) : 0;
  return path_.time(bytes, share_) + adding;
}

bool CollectivePlan::check_members_alike(int k, const Stretches& stretches) {
  Sizes added, sends, receives;
  Seconds slowest = 0;
  Seconds fastest = kForever;
  for (const Stretch& stretch : stretches) {
    sends.add(stretch.sum.sends.size());
    receives.add(stretch.sum.receives.size());
    added.add(largest_of(elements_to_add(stretch.sum), stretch.rounds));
  }
  for (std::size_t rank = 0; added.largest > 0 && rank < stretches.size(); ++rank) {
    const Seconds time = adding_time_(static_cast<int>(rank), added.largest * element_bytes_);
    slowest = std::max(slowest, time);
    fastest = std::min(fastest, time);
  }
  const bool alike = sends.smallest == sends.largest && receives.smallest == receives.largest &&
                     sends.smallest > 0 && sizes_of(stretches).alike() && added.alike() &&
                     (added.largest == 0 || same(slowest, fastest));
  if (!alike) {
    refusal_ = fmt::format("link {} is shared, and in round {} not all ranks do the same",
                           shared_link_, k);
  }
  return alike;
}

bool CollectivePlan::check_shares_alike(const Stretches& stretches, Fabric& fabric) {
  std::unordered_map<const simgrid::s4u::Link*, int> flows;
  for (std::size_t rank = 0; rank < stretches.size(); ++rank) {
    for (const SendPiece& piece : stretches[rank].sum.sends) {
      for (const auto* link : fabric.path(static_cast<int>(rank), piece.peer).shared_links) {
        ++flows[link];
      }
    }
  }
  bool first = true;
  const bool costs_something = !fabric.costs().segments().empty();
  for (std::size_t rank = 0; rank < stretches.size(); ++rank) {
    for (const SendPiece& piece : stretches[rank].sum.sends) {
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

}  // namespace tandem
