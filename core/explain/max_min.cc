#include "core/explain/max_min.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr double kTie = 1 + 1e-12;

/// What each of a link's flows would get that have no rate yet.
struct Link {
  double left = 0;
  int flows = 0;

  double share() const {
    return flows > 0 ? std::max(0.0, left) / flows : std::numeric_limits<double>::infinity();
  }
};

}  // namespace

void share_links(const std::vector<double>& capacities, const std::vector<Flow*>& flows) {
  std::vector<Link> links(capacities.size());
  for (std::size_t i = 0; i < links.size(); ++i) links[i].left = capacities[i];
  for (const Flow* flow : flows)
    for (const int link : flow->links) ++links[link].flows;
  std::vector<Flow*> open = flows;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const Link& link : links) least = std::min(least, link.share());
    for (const Flow* flow : open) least = std::min(least, flow->cap);
    std::vector<bool> is_full(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) is_full[i] = links[i].share() <= least * kTie;
    std::vector<Flow*> others;
    for (Flow* flow : open) {
      const auto full = std::ranges::find_if(flow->links, [&](int link) { return is_full[link]; });
      flow->bound_by = full == flow->links.end() ? -1 : *full;
      if (flow->bound_by < 0 && flow->cap > least * kTie) {
        others.push_back(flow);
        continue;
      }
      flow->rate = least;
      for (const int link : flow->links) {
        links[link].left -= least;
        --links[link].flows;
      }
    }
    open = std::move(others);
  }
}

}  // namespace tandem
