#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/comm/worker.h"
#include "core/data/dataset.h"
#include "core/model/layer_graph.h"
#include "core/record/journal.h"
#include "core/record/recorder.h"
#include "core/scenario/scenario.h"
#include "core/training/network.h"

namespace tandem {

/// A scenario point with everything that its members share, made ready once a process.
struct Experiment {
  Scenario scenario;
  LayerGraph graph;
  int iterations = 0;                      ///< timed ones and warm-up together
  std::shared_ptr<const DataSplits> data;  ///< null where the run models sizes
  NetworkFactory make_network;             ///< empty where the run models sizes
  /// Of a device that keeps copies of a member's memory: what makes them for one member. Empty
  /// where it computes in that memory itself.
  std::function<MakeMirror()> mirrors = {};
  /// Whether the scenario's checkpoints are made and gone on from: in real runs that compute.
  bool saves = false;
  /// Of the work of a job's iteration what one of this run is: less while some of its workers are
  /// lost.
  double share = 1;
  /// Called by rank 0 after each iteration, for progress.
  std::function<void(int done, int total)> progress;
  /// Called with what happens to a member, at once: that it begins, a worker's iterations and
  /// checkpoints.
  std::function<void(JobMoment moment, int number, Seconds duration)> tell = {};
};

/// How many batches a worker prepares ahead of their iteration: the scenario's, or by default some
/// where a device of its own computes, since the processor is free meanwhile.
inline int batches_ahead(const Experiment& experiment) {
  constexpr int kBesideADevice = 2;
  return experiment.scenario.data.prefetch.value_or(experiment.mirrors ? kBesideADevice : 0);
}

/// Experiment::tell, where there is somebody to be told.
inline void tell(const Experiment& experiment, JobMoment moment, int number, Seconds duration = 0) {
  if (experiment.tell) experiment.tell(moment, number, duration);
}

/// What a model is held against: what is known of a data set without its files; the files where
/// they are there; or the files, which then have to be there and hold an iteration's samples.
enum class DataCheck { kKnown, kIfThere, kThere };

/// Says early what prepare_experiment() would: whether the model can be built, and whether the data
/// fits it. Throws InputError.
void check_experiment(const Scenario& scenario, DataCheck data);

/// Builds the model, resolves epochs to iterations, and loads the data where `payload`; else looks
/// whether the model fits what is known of it. Throws InputError.
Experiment prepare_experiment(const Scenario& scenario, bool payload, NetworkFactory make_network);

/// How a member's clock went beside that of rank 0, which its spans and program are told by.
struct ClockFit {
  Seconds ahead = 0;        ///< at its begin
  double drift = 0;         ///< further, each second
  Seconds uncertainty = 0;  ///< of `ahead`, at most; 0 where all members have one clock
};

/// What one member has to say at the end, or one of many that were alike.
struct MemberResult {
  int rank = 0;
  /// Members that this one stands for, itself included. Messages and updates, `traffic`, those of
  /// iterations and `staleness`, are of all of them together, all else is of each.
  int count = 1;
  bool is_server = false;
  std::vector<IterationRecord> iterations;
  int first_iteration = 0;  ///< of `iterations`: those before it were other members'
  /// Of all members together, in the iterations before these.
  std::uint64_t sent_bytes_before = 0;
  std::vector<Span> spans;
  std::vector<Step> program;  ///< where the scenario asks for it, warm-up and all
  Traffic traffic;
  std::string weights_hash;  ///< empty where nothing was computed; a server's of its shard
  /// Of a worker that scaled its losses: steps that overflowed, of the whole training.
  std::optional<int> skipped_steps;
  std::map<int, std::uint64_t> staleness;  ///< as Recorder's
  /// Only rank 0, only with payload: at the scenario's intervals, the last of the final weights.
  std::vector<Evaluation> evaluations;
  /// What its training held at its peak, from the first iteration to the end of the last:
  std::uint64_t peak_memory_bytes = 0;  ///< measured, or predicted; 0 where neither was done
  std::uint64_t held_peak_bytes = 0;    ///< its buffers alone, as Worker::memory() counts them
  /// The most that its process ever held, code and data included; 0 where not measured.
  std::uint64_t process_peak_bytes = 0;
  ClockFit clock;
  std::vector<std::string> warnings;  ///< rank 0's: checkpoints that were not written
};

/// The whole life of one member, worker or server: the job is `experiment.scenario.members()` calls
/// of this, one a rank, on any backend. Throws PeerLost and what bad data raises.
MemberResult run_member(const Experiment& experiment, Worker& worker);

}  // namespace tandem
