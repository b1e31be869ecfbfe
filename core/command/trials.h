#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/command/choices.h"
#include "core/command/sweep.h"
#include "core/command/tuning.h"

namespace tandem {

/// A scenario that tuning tried.
struct Trial {
  Picks picks;
  std::optional<Summary> summary;
  std::string refused;  ///< why it can't be run
};

/// What ends a tuning before its time.
struct TuningStopped {
  SweepOutcome outcome;
};

/// Simulates the scenarios that picks of choices make.
class Trials {
 public:
  /// Refers to `scenario` and `choices`, which must outlive it.
  Trials(const Scenario& scenario, const std::vector<Choice>& choices, SweepOptions how);

  Scenario scenario_of(const Picks& picks) const;
  /// As MeasurePicks. Throws TuningStopped.
  std::vector<std::optional<double>> measure(const std::vector<Picks>& wanted);
  /// In the order in which they were tried.
  const std::vector<Trial>& all() const { return all_; }
  /// The same: a column a choice, the times, and why one can't be run.
  std::string csv() const;

 private:
  /// The points that `trials` are.
  std::vector<Scenario> points_of(const std::vector<Trial>& trials) const;
  void simulate(std::vector<Trial>& trials);
  std::string variant_of(const Picks& picks) const;

  const Scenario& scenario_;
  const std::vector<Choice>& choices_;
  SweepOptions how_;
  Backend backend_;
  std::vector<Trial> all_;
};

}  // namespace tandem
