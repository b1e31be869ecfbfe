#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/command/backend.h"
#include "core/command/process.h"
#include "core/faults/failures.h"
#include "core/record/point_result.h"
#include "core/training/experiment.h"
#include "real/elastic/account.h"
#include "real/elastic/host_watch.h"
#include "real/elastic/places.h"

namespace tandem::elastic {

/// Takes one point through the loss of members: starts its MPI job, and when that has lost a member
/// starts another one with those that are left, which goes on from the last checkpoint; after a
/// checkpoint, or at such a restart, those who are back take part again. It is how
/// go_through_failures() simulates it: with n of N workers an iteration takes in n/N of the
/// samples, and the job goes on until it has trained on as many as planned.
///
/// Members fail where the scenario's faults say so, and by themselves. Those of the faults are back
/// when these say so; others at the next checkpoint, but for a worker that was lost three times.
class Supervisor {
 public:
  /// Throws InputError where the scenario can't be run so. `tandem_run` is that program.
  Supervisor(const Scenario& scenario, const LaunchOptions& launch, std::string tandem_run,
             PointFiles files);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Throws InputError for bad input, and RunError for what no restart mends, or once too few
  /// workers are left.
  PointResult run();

 private:
  Supervisor(const Experiment& whole, const LaunchOptions& launch, std::string tandem_run,
             PointFiles files);

  /// Of a worker that is not there.
  struct Absence {
    Seconds until = 0;              ///< since the job began
    bool until_checkpoint = false;  ///< the job's next one after that
  };

  void begin_stretch();
  Scenario stretch_scenario() const;
  /// Of the faults those that are to come, and members that are slow, by the stretch's ranks.
  std::vector<FailSpec> failures_to_come() const;
  std::vector<SlowSpec> slow_members() const;
  /// The stretch's members, in its order, by their ranks in the whole job.
  std::vector<int> members() const;

  ProcessEnd watch();
  void take_journal();
  /// Of its training.
  void take_step(const JournalEntry& entry);
  bool can_take_back(Seconds at) const;
  /// Ends a job that should have ended or begun to train by now, which mpirun keeps where it waits
  /// for its daemon on a host that no message reaches.
  void end_what_hangs();

  /// Where the job ended before it began to train.
  void begin_again(const ProcessEnd& end);
  /// Returns what happened where no fault told of it.
  std::string lose_members(const ProcessEnd& end);
  /// That a fault struck which is `failures_[index]`.
  void strike(std::size_t index, Seconds at);
  void strike_unnoticed();
  /// Whether a member that can be reached again, by its number in the job, was lost before that.
  bool is_told_lost(int number) const;
  /// That a partition is over that `rank` was cut off by.
  void reach_again(int rank, Seconds at);
  /// A stretch that is done lost nobody who was cut off and came back.
  void reach_all_again(const Stretch& done);
  /// That a member was lost of which no fault told.
  void lose(int rank);
  /// Those whose hosts don't answer. Whether there are any; none where hosts have no names.
  bool lose_unreachable();

  bool has_checkpoints() const;
  /// Throws InputError where the run would not begin with the newest checkpoint that it can go on
  /// from, to which it would come back after a loss.
  void require_newest() const;
  /// Until all members of a job that has ended are gone. Throws RunError where some stay, such as
  /// on a disk that answers no more.
  void await_members() const;
  void go_back_to_checkpoint();
  /// Those who can take part from that time on.
  std::vector<int> workers_there(Seconds at, bool at_checkpoint) const;
  std::optional<std::string> too_few() const;
  void require_enough(const std::string& reason) const;

  /// Not before it, where members' clocks differ.
  Seconds since_began(Seconds time) const { return began_ ? std::max(0.0, time - *began_) : 0; }
  Seconds now() const { return since_began(time_since_1970()); }
  void tell(const std::string& what, Seconds at);
  void tell(const std::string& what, Seconds at, std::size_t workers);

  /// Once all is done, whichever way the job's last processes have ended.
  PointResult finish(const ProcessEnd& end);

  const Scenario scenario_;
  const std::string tandem_run_;
  const PointFiles files_;
  const Places places_;
  HostWatch watch_;
  const int planned_;  ///< iterations of all workers, warm-up too
  std::vector<Failure> failures_;
  std::vector<bool> has_struck_;   ///< of the failures
  std::vector<Absence> absences_;  ///< by worker
  std::vector<int> losses_;        ///< by worker, that no fault told of
  std::vector<int> there_;         ///< workers that take part, by rank

  std::vector<Stretch> stretches_;
  std::vector<JobEvent> events_;                ///< in order of time
  std::string next_event_ = "training begins";  ///< once it does
  std::optional<Seconds> began_;                ///< since 1970
  int saved_ = 0;                               ///< iterations of the checkpoint to go on from
  double done_ = 0;                             ///< until then, in iterations of all workers
  int idle_stretches_ = 0;                      ///< in a row that were lost, and saved nothing

  // Of the stretch that is under way.
  int attempts_ = 0;  ///< to begin one; each has a folder, since members of others may still write
  std::filesystem::path folder_;
  std::optional<Process> process_;
  std::optional<JournalReader> journal_;
  int last_ = 0;                       ///< its last iteration
  bool takes_back_ = false;            ///< it is to end, so that somebody who is back can take part
  Seconds started_ = 0;                ///< as the next ones, since 1970
  std::optional<Seconds> should_end_;  ///< since when
  std::optional<Seconds> heard_;       ///< of it, last
  Seconds longest_silence_ = 0;        ///< of a stretch, so far
};

}  // namespace tandem::elastic
