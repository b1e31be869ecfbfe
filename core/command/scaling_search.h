#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/command/options.h"

namespace tandem {

/// Looks for the largest number of workers that keeps a scaling efficiency: doubles the number
/// until one does not keep it or can't be run, then halves the gap between the largest that does
/// and the smallest that does not. Where efficiency does not fall steadily, the answer is still one
/// that keeps it, as do all smaller ones that were tried.
class ScalingSearch {
 public:
  /// Tries multiples of `unit` from `lowest`, which is one, on.
  explicit ScalingSearch(int lowest = 1, int unit = 1) : lowest_(lowest), unit_(unit) {}

  /// What to try next; nothing once the answer is known.
  std::optional<int> next() const;
  /// What the trial of next() showed.
  void note(bool keeps);
  /// The largest that keeps it; 0 where none does.
  int answer() const { return keeps_; }
  /// The smallest that was tried and does not.
  int above() const { return fails_; }

 private:
  int lowest_, unit_;
  int keeps_ = 0, fails_ = 0;  ///< 0: none was found yet
};

/// From the fewest workers that the point's algorithm takes, in steps that it takes.
ScalingSearch scaling_search_of(const Scenario& point);

/// Of `tandem simulate --until-efficiency`: searches for each of the scenario's points, whose
/// workers are left aside, writes what was simulated as a result folder, and prints it with the
/// answers. Returns the exit code. Throws InputError.
int search_scaling(const ScenarioFile& file, double efficiency, std::optional<int> jobs,
                   const std::filesystem::path& out, const RunInfo& info);

}  // namespace tandem
