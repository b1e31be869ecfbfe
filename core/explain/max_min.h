#pragma once

#include <limits>
#include <vector>

namespace tandem {

/// A flow over links that it shares.
struct Flow {
  std::vector<int> links;
  double cap = std::numeric_limits<double>::infinity();  ///< bytes/s that it can have at most
  double penalty = 1;  ///< of a bottleneck's bandwidth, flows get shares as the inverse of it
  double rate = 0;     ///< bytes/s: what share_links() gives it
  int bound_by = -1;   ///< the link that limits it; -1: its cap
};

/// Weighted max-min fairness by progressive filling (Bertsekas and Gallager, "Data Networks",
/// 6.5.2): no flow can get more without taking from one whose rate times penalty is no more than
/// its own. SimGrid's penalty is the way's latency, since TCP's flows share a bottleneck so
/// (Casanova and Marchal, "A Network Model for Simulation of Grid Application", 2002).
/// `capacities` are the links' bytes/s.
void share_links(const std::vector<double>& capacities, const std::vector<Flow*>& flows);

}  // namespace tandem
