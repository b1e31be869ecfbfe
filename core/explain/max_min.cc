#include "core/explain/max_min.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr double kTie = 1 + 1e-12;

/// What each of a link's flows would get that have no rate yet.
struct Link {
  double left = 0;
  int flows = 0;
  double weight = 0;  ///< of these: the sum of the inverses of their penalties

  /// Of a flow whose penalty is 1.
  double share() const {
    return flows > 0 ? std::max(0.0, left) / weight : std::numeric_limits<double>::infinity();
  }
  void add(const Flow& flow) {
    ++flows;
    weight += 1 / flow.penalty;
  }
  void take(const Flow& flow) {
    left -= flow.rate;
    --flows;
    weight = std::max(0.0, weight - 1 / flow.penalty);  // which rounding may bring below
  }
};

}  // namespace

void share_links(const std::vector<double>& capacities, const std::vector<Flow*>& flows) {
  std::vector<Link> links(capacities.size());
  for (std::size_t i = 0; i < links.size(); ++i) links[i].left = capacities[i];
  for (const Flow* flow : flows)
    for (const int link : flow->links) links[link].add(*flow);
  std::vector<Flow*> open = flows;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const Link& link : links) least = std::min(least, link.share());
    for (const Flow* flow : open) least = std::min(least, flow->cap * flow->penalty);
    std::vector<bool> is_full(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) is_full[i] = links[i].share() <= least * kTie;
    std::vector<Flow*> others;
    for (Flow* flow : open) {
      const auto full = std::ranges::find_if(flow->links, [&](int link) { return is_full[link]; });
      flow->bound_by = full == flow->links.end() ? -1 : *full;
      if (flow->bound_by < 0 && flow->cap * flow->penalty > least * kTie) {
        others.push_back(flow);
        continue;
      }
      flow->rate = least / flow->penalty;
      for (const int link : flow->links) links[link].take(*flow);
    }
    open = std::move(others);
  }
}

}  // namespace tandem
