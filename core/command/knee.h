#pragma once

#include <map>
#include <string>

#include "core/command/aside_simulator.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// The scaling efficiency below which workers are past the knee.
inline constexpr double kKneeEfficiency = 0.5;

/// How far a point scales.
struct Knee {
  std::map<int, double> efficiency;  ///< by workers: those that were tried
  int keeps = 0;                     ///< the most that are not past it; 0: not even the fewest
  int above = 0;                     ///< the fewest that were tried in vain
  bool is_limited = false;           ///< because they were too many, not past the knee

  /// "the knee is between 11 and 12 workers".
  std::string text() const;
};

/// Looks for it by ScalingSearch, whatever the point's workers, up to what its platform holds and
/// kMostKneeWorkers. Throws InputError, RunError.
Knee find_knee(const Scenario& point, const AsideSimulator& simulator);

inline constexpr int kMostKneeWorkers = 256;

}  // namespace tandem
