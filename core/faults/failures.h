#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/lost_time.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Hosts that fail, as members of a job.
struct Failure {
  std::string label;          ///< "host node-3"
  Seconds at = 0;             ///< since the job began
  Seconds back = kForever;    ///< from when on its workers can take part again
  std::vector<int> workers;   ///< on the host, by rank
  std::vector<int> servers;   ///< as well; others take their places at the restart
  bool is_partition = false;  ///< the members go on, but no message reaches them
  Seconds patience = 0;       ///< of a partition: so long the others wait for messages

  bool strikes(int rank) const;
  /// How long a partition holds up messages that the others go on waiting for; nothing where they
  /// give up before.
  std::optional<Seconds> held_up() const;
};

/// How long a TCP connection delivers nothing when no packet gets through for `outage`: until its
/// first retransmission afterwards. These come 200 ms (Linux's least timeout, TCP_RTO_MIN) after
/// the last packet, and then each after twice the time, up to 120 s (RFC 6298, 5.5).
Seconds tcp_silence(Seconds outage);

/// The scenario's failures, by the members on the hosts, whose names are given by rank: as many as
/// there are members, or none where a host has no name. Throws InputError where a fault names a
/// host then.
std::vector<Failure> failures_of(const Scenario& scenario, const std::vector<std::string>& hosts);

/// A job's training between two events.
struct TrainingStretch {
  Seconds begin = 0;         ///< since the job began
  int first_iteration = 0;   ///< of all that were run, those whose work was lost among them
  int iterations = 0;        ///< until the training would be done
  std::vector<int> workers;  ///< that are there, by rank
};

/// What became of a job, piece by piece, for run.json.
struct JobEvent {
  Seconds at = 0;
  std::string what;
  int workers = 0;  ///< from then on
};

/// A job that goes on after failures.
struct FailedJob {
  Seconds total = 0;
  Seconds training = 0;  ///< in iterations that count
  // The rest of `total`:
  Seconds lost_work = 0;  ///< iterations since the last checkpoint, or since the begin
  Seconds detection = 0, restart = 0, read = 0, write = 0;
  Seconds held_up = 0;  ///< by partitions that were over before anybody gave up
  Seconds between = 0;  ///< the rest: above all tests of accuracy, which all jobs make
  std::vector<JobEvent> events;
  std::vector<bool> struck;  ///< of the failures: whether it came before the job's end
};

/// How a job of `workers` goes, whose training is as much as `iterations` with all of them.
///
/// After a failure all stop: it is detected, the members that are left start anew, read the last
/// checkpoint, and do again what came after it. Without checkpoints they start over. With n of N
/// workers an iteration takes in n/N of the samples, so that there are more of them. A host that is
/// back takes part from the next checkpoint or restart on; at a checkpoint that takes a restart and
/// a read. A host that fails while all stand still is found out at the restart. One that has nobody
/// in the job fails unnoticed. A partition is detected once the others have waited as long as they
/// do; one that is over before holds everybody up.
///
/// `run` says how long each iteration of a stretch takes; it is called once a stretch, with at
/// least one worker. `group` workers hold a model together: of those left, multiples of it take
/// part. Throws InputError where fewer than RecoverySpec::min_workers, or than a group, are left.
FailedJob go_through_failures(
    const std::vector<Failure>& failures, const RecoverySpec& recovery, int workers, int iterations,
    int group, const std::function<std::vector<Seconds>(const TrainingStretch&)>& run);

/// Its events, for run.json.
nlohmann::json describe(const FailedJob& job);

/// Adds what failures and checkpoints cost; `undisturbed` is what the run's iterations take without
/// either, and `rest` what they took beyond that.
void add_failures(LostTimes& times, const FailedJob& job, Seconds undisturbed,
                  const std::string& rest = "fewer workers");

}  // namespace tandem
