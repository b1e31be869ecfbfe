#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// What a fault befalls: a host of the platform by its name, or the host of a rank.
struct FaultTarget {
  std::optional<std::string> host = {};
  std::optional<int> rank = {};

  std::string label() const;  ///< "host node-3" or "rank 3"
};

/// From when until when, both since the job began: in seconds, or in iterations, counted from 0
/// with warm-up.
struct FaultWindow {
  bool in_iterations = false;
  double from = 0;
  double until = kForever;

  /// Whether it begins or ends within the job.
  bool changes() const { return from > 0 || until != kForever; }
  /// Whether `now`, which is counted alike, is in it.
  bool holds(double now) const { return from <= now && now < until; }
};

/// A device that takes `factor` times as long.
struct SlowSpec {
  FaultTarget target;
  double factor = 1;
  FaultWindow window = {};
};

/// How computing times vary: a distribution of mean 1 that they are multiplied by.
struct NoiseSpec {
  std::string distribution;  ///< "lognormal" or "weibull"
  double sigma = 0;          ///< of lognormal: the standard deviation of the logarithm
  double shape = 1;          ///< of weibull: k; 1 is the exponential distribution
  bool each_kernel = false;  ///< drawn for each kernel; else for each iteration of a worker
};

/// A link that has so many times its bandwidth and latency. Its window is in seconds.
struct LinkFaultSpec {
  std::string link;  ///< or the name that both directions of a full-duplex link share
  double bandwidth_factor = 1, latency_factor = 1;
  FaultWindow window = {};
};

/// Somebody else's traffic. Its window is in seconds.
struct TrafficSpec {
  std::string source, destination;  ///< hosts
  // One of the three.
  std::optional<double> rate = {};   ///< bytes/s that one flow takes where it gets them
  std::optional<int> flows = {};     ///< that each take what they get
  std::optional<double> bytes = {};  ///< of a message that is sent every `every`
  Seconds every = 0;
  bool poisson = false;  ///< messages come at random, `every` apart in the mean
  FaultWindow window = {};
};

/// A host that fails and perhaps returns.
struct FailSpec {
  FaultTarget target;
  Seconds at = 0;
  std::optional<Seconds> back = {};
  bool is_partition = false;  ///< no message reaches it or leaves it; else its processes end
};

/// What a job does about a lost member. All costs are times in which nobody trains.
struct RecoverySpec {
  std::optional<int> checkpoint_every = {};  ///< iterations; nothing: the job starts over
  Seconds write = 0;                         ///< of each checkpoint
  Seconds detection = 0;                     ///< from the failure until the others know
  Seconds restart = 0;                       ///< to start the members anew
  Seconds read = 0;                          ///< to read a checkpoint and share it out again
  int min_workers = 1;                       ///< with fewer the job can't go on

  bool operator==(const RecoverySpec&) const = default;
};

/// What goes wrong in a job: the key `faults` of a scenario.
struct FaultsSpec {
  std::vector<SlowSpec> slow;
  std::optional<NoiseSpec> compute = {};
  std::vector<LinkFaultSpec> links;
  std::vector<TrafficSpec> traffic;
  std::vector<FailSpec> fail;
  RecoverySpec recovery;
  int repeats = 1;  ///< runs with the seeds seed, seed + 1, ...

  bool empty() const { return !has_cause() && repeats == 1; }
  /// Whether anything can take time.
  bool has_cause() const;
  /// Whether something is drawn at random.
  bool is_random() const;
  /// Whether what is typical of computing times is their mean: factors of mean 1 may be skewed, and
  /// by the median one worker would look faster than it is.
  bool skews_times() const { return compute.has_value(); }
  /// Whether something changes in the course of a run.
  bool changes_in_time() const;
  /// Whether it befalls messages on their way.
  bool befalls_network() const;
  /// Whether a host or link of the platform is named.
  bool names_platform() const;
};

/// JSON that a scenario's reader takes back.
nlohmann::json to_json(const FaultsSpec& faults);

}  // namespace tandem
