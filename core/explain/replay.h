#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/explain/event_graph.h"

namespace tandem {

/// So many times the links' bandwidth, the links' latency, and the devices' speed.
struct Change {
  double bandwidth = 1, latency = 1, compute = 1;
  /// How long each event takes is changed by so much of it or less, at random, but the same again.
  double jolt = 0;
};

/// Events wait for each other in a circle.
class NoEnd : public InputError {
 public:
  using InputError::InputError;
};

/// When an event of the graph took place, by EventId.
struct Moment {
  Seconds begin = 0, end = 0;
  std::string bound_by = {};          ///< of a message: the link that limited it last
  std::optional<EventId> after = {};  ///< what ended last of what it had to wait for
};

/// Goes through the graph as it would be after `change`: each event begins once all that it follows
/// have ended; messages whose routes are known share the links max-min fairly, and all else takes
/// its traced time, the parts of it changed. Throws NoEnd.
std::vector<Moment> replay(const EventGraph& graph, const TracedNetwork& network,
                           const Change& change);

/// Which part of a job is looked at: its iterations from `first` on, by whole periods.
struct Scope {
  int workers = 1;  ///< the ranks below
  int period = 1;   ///< Scenario::period()
  int first = 0;
  bool varies = false;  ///< computing times do, at random
};

/// A period of a worker: from the end of the iteration before it to the end of its last.
struct Window {
  Seconds begin = 0, end = 0;
  EventId last = 0;  ///< the step that ends it
};

/// By worker.
using Windows = std::map<int, Window>;

/// The periods that the graph has of all workers, in order. Of a trace that begins within a job its
/// first iteration is left out, if others are left. Throws InputError where there is no period.
std::vector<Windows> periods(const EventGraph& graph, const std::vector<Moment>& moments,
                             const Scope& scope);

/// Of each of them how long an iteration takes, in the mean over workers.
std::vector<Seconds> times_of(const std::vector<Windows>& periods, const Scope& scope);

/// Those of them that times are means over: one that takes a middling time in the mean over
/// workers, or two of an even number; all where computing times vary at random.
std::vector<Windows> typical_periods(const EventGraph& graph, const std::vector<Moment>& moments,
                                     const Scope& scope);

/// How long an iteration of them takes, in the mean over workers, as Summary::iteration_s.
Seconds iteration_time(const EventGraph& graph, const std::vector<Moment>& moments,
                       const Scope& scope);

}  // namespace tandem
