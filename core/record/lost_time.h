#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/training/experiment.h"

namespace tandem {

/// How long a run takes its workers, in the mean over them, from the job's begin to the end of
/// their last iteration.
struct RunTime {
  Seconds total = 0;
  Seconds compute = 0;  ///< of it in kernels
  Seconds waiting = 0;  ///< and waiting for messages
};

RunTime run_time(const std::vector<MemberResult>& members);

/// What one cause of delay costs a run.
struct LostTime {
  std::string cause;
  Seconds total = 0;
  Seconds compute = 0, waiting = 0;  ///< of it; the rest is neither
};

/// Where a disturbed run's time goes: `undisturbed` and what each cause costs add up to `total`.
/// Of several seeds all are means.
struct LostTimes {
  Seconds total = 0;
  Seconds undisturbed = 0;
  std::vector<LostTime> causes;  ///< in the order in which they were added

  /// Of one cause more: `with` is the run with it, and with all before.
  void add(const std::string& cause, const RunTime& before, const RunTime& with);
  /// Time in which nobody trains.
  void add_stop(const std::string& cause, Seconds time);
  Seconds lost() const { return total - undisturbed; }
};

/// The mean of runs that differ in their seed only.
LostTimes mean_of(const std::vector<LostTimes>& runs);

nlohmann::json to_json(const LostTimes& times);
LostTimes lost_times_from_json(const nlohmann::json& source);

}  // namespace tandem
