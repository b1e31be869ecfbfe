#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/random.h"
#include "core/scenario/faults.h"

namespace tandem {

/// When messages of others' traffic are due, of a scenario's TrafficSpec number `index`: the same
/// times in both worlds, whether or not the job is started anew meanwhile.
class Arrivals {
 public:
  /// Leaves out those that were due before `since`, counted from the job's begin.
  Arrivals(const TrafficSpec& traffic, std::uint64_t seed, std::size_t index, Seconds since = 0);

  /// Of the next one, since the job began.
  Seconds next();

 private:
  Seconds gap();

  Seconds every_;
  bool poisson_;
  RandomStream random_;
  Seconds due_;
};

}  // namespace tandem
