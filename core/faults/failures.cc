#include "core/faults/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.h"
#include "core/faults/fewer_workers.h"

namespace tandem {
namespace {

/// A job on its way through failures.
class Journey {
 public:
  Journey(const std::vector<Failure>& failures, const RecoverySpec& recovery, int workers,
          int iterations, int group)
      : failures_(failures),
        recovery_(recovery),
        workers_(workers),
        iterations_(iterations),
        group_(group) {
    job_.struck.assign(failures.size(), false);
    handled_.assign(failures.size(), false);
    waited_out_.assign(failures.size(), false);
    in_the_job_.resize(static_cast<std::size_t>(workers));
    std::iota(in_the_job_.begin(), in_the_job_.end(), 0);
  }

  FailedJob go(const std::function<std::vector<Seconds>(const TrainingStretch&)>& run) {
    tell("training begins");
    while (!is_done()) {
      const std::vector<Seconds> durations = run(
          {.begin = now_, .first_iteration = run_, .iterations = left(), .workers = in_the_job_});
      train(durations);
    }
    keep_work();
    tell("training is done");
    job_.total = now_;
    return std::move(job_);
  }

 private:
  double share() const { return static_cast<double>(in_the_job_.size()) / workers_; }
  int left() const {
    return std::max(1, iterations_of_fewer(iterations_ - done_,
                                           static_cast<int>(in_the_job_.size()), workers_));
  }
  bool is_done() const { return done_ >= iterations_ - kRounding; }

  void tell(const std::string& what) {
    JobEvent& event = job_.events.emplace_back();
    event.at = now_;
    event.what = what;
    event.workers = static_cast<int>(in_the_job_.size());
  }

  /// Until the training is done, or those in the job change.
  void train(const std::vector<Seconds>& durations) {
    for (const Seconds duration : durations) {
      if (is_stopped_before(now_ + duration)) return recover();
      now_ += duration;
      unsaved_time_ += duration;
      done_ += share();
      ++run_;
      if (is_done()) return;
      if (!recovery_.checkpoint_every || ++unsaved_ < *recovery_.checkpoint_every) continue;
      if (is_stopped_before(now_ + recovery_.write)) return recover();
      write_checkpoint();
      if (take_back()) return;
    }
  }

  void write_checkpoint() {
    now_ += recovery_.write;
    job_.write += recovery_.write;
    keep_work();
    saved_ = done_;
    unsaved_ = 0;
  }

  void keep_work() {
    job_.training += unsaved_time_;
    unsaved_time_ = 0;
  }

  /// Whether somebody fails by what takes until `time`, and so stops all; waits out what does not,
  /// which puts that time off.
  bool is_stopped_before(Seconds time) {
    while (fails_before(time)) {
      if (!failures_[next_].held_up()) return true;
      const Seconds before = now_;
      wait_out(next_);
      time += now_ - before;
    }
    return false;
  }

  /// Whether somebody in the job fails by then.
  bool fails_before(Seconds time) {
    next_ = -1;
    for (int i = 0; i < static_cast<int>(failures_.size()); ++i) {
      if (handled_[i] || failures_[i].at >= time || !stops(failures_[i])) continue;
      if (next_ < 0 || failures_[i].at < failures_[next_].at) next_ = i;
    }
    return next_ >= 0;
  }

  bool stops(const Failure& failure) const {
    return !failure.servers.empty() || std::ranges::any_of(failure.workers, [&](int rank) {
      return std::ranges::binary_search(in_the_job_, rank);
    });
  }

  /// A partition that nobody gives up for. It may have passed, in part, while all stood still.
  void wait_out(int index) {
    const Failure& failure = failures_[index];
    handled_[index] = true;
    job_.struck[index] = true;
    waited_out_[index] = true;
    const Seconds over = failure.at + *failure.held_up();
    stop(job_.held_up, std::max(0.0, over - std::max(now_, failure.at)));
    tell(failure.label + " was cut off for a while");
  }

  /// From the failure that was found on.
  void recover() {
    const Failure& failure = failures_[next_];
    const Seconds at = std::max(now_, failure.at);  // else it failed while all stood still anyway
    job_.lost_work += unsaved_time_ + (at - now_);
    now_ = at;
    unsaved_time_ = 0;
    unsaved_ = 0;
    done_ = saved_;
    note(next_);
    stop(job_.detection, failure.patience + recovery_.detection);
    start_again();
    for (int i = 0; i < static_cast<int>(failures_.size()); ++i)
      if (!handled_[i] && failures_[i].at <= now_ && stops(failures_[i])) note(i);
    gather();
    tell(saved_ > 0 ? "training goes on from the last checkpoint" : "training starts over");
  }

  void note(int index) {
    handled_[index] = true;
    job_.struck[index] = true;
    gather();
    tell(failures_[index].label + (failures_[index].is_partition ? " is cut off" : " fails"));
    require_enough(failures_[index]);
  }

  void start_again() {
    stop(job_.restart, recovery_.restart);
    if (saved_ > 0) stop(job_.read, recovery_.read);
  }

  void stop(Seconds& account, Seconds time) {
    now_ += time;
    account += time;
  }

  /// Whether hosts that are back take part from now on.
  bool take_back() {
    const std::size_t before = in_the_job_.size();
    gather();
    if (in_the_job_.size() == before) return false;
    start_again();
    tell("a host that is back takes part");
    return true;
  }

  /// Those whose hosts are there now.
  void gather() {
    for (std::size_t i = 0; i < failures_.size(); ++i)
      if (failures_[i].at <= now_ && !stops(failures_[i])) handled_[i] = true;  // unnoticed
    in_the_job_.clear();
    for (int rank = 0; rank < workers_; ++rank)
      if (is_there(rank)) in_the_job_.push_back(rank);
    there_ = static_cast<int>(in_the_job_.size());
    in_the_job_.resize(whole_groups(there_, group_));
  }

  bool is_there(int rank) const {
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      if (handled_[i] && !waited_out_[i] && now_ < failures_[i].back &&
          std::ranges::find(failures_[i].workers, rank) != failures_[i].workers.end())
        return false;
    }
    return true;
  }

  void require_enough(const Failure& failure) const {
    const auto least = too_few_for(there_, group_, recovery_);
    if (!least) return;
    throw InputError(
        fmt::format("faults.fail: {} fails and leaves {} worker{} at {:.6g} s, fewer than {}",
                    failure.label, there_, there_ == 1 ? "" : "s", now_, *least));
  }

  static constexpr double kRounding = 1e-9;  // of sums of shares

  const std::vector<Failure>& failures_;
  const RecoverySpec& recovery_;
  const int workers_, iterations_, group_;
  FailedJob job_;
  std::vector<bool> handled_;
  std::vector<bool> waited_out_;  ///< partitions that nobody was lost by
  std::vector<int> in_the_job_;
  int there_ = 0;
  int next_ = -1;  ///< the failure that comes first
  Seconds now_ = 0;
  double done_ = 0, saved_ = 0;  ///< in iterations of all workers
  int run_ = 0;                  ///< iterations, of however many workers, that count or not
  int unsaved_ = 0;              ///< iterations since the last checkpoint
  Seconds unsaved_time_ = 0;     ///< that they took
};

/// Whether two members are on one host, or one on that of a name.
bool is_on(const Scenario& scenario, const std::vector<std::string>& names,
           const FaultTarget& target, int rank) {
  if (target.host) return names.at(rank) == *target.host;
  const std::vector<int> hosts = scenario.hosts();
  return *target.rank < scenario.members() && hosts[rank] == hosts[*target.rank];
}

}  // namespace

Seconds tcp_silence(Seconds outage) {
  constexpr Seconds kFirst = 0.2, kLongest = 120;
  Seconds silence = 0;
  for (Seconds wait = kFirst; silence < outage; wait = std::min(2 * wait, kLongest))
    silence += wait;
  return silence;
}

std::optional<Seconds> Failure::held_up() const {
  if (!is_partition || back == kForever) return std::nullopt;
  const Seconds silence = tcp_silence(back - at);
  return silence < patience ? std::optional(silence) : std::nullopt;
}

bool Failure::strikes(int rank) const {
  return std::ranges::find(workers, rank) != workers.end() ||
         std::ranges::find(servers, rank) != servers.end();
}

std::vector<Failure> failures_of(const Scenario& scenario, const std::vector<std::string>& hosts) {
  std::vector<Failure> failures;
  for (const FailSpec& fail : scenario.faults.fail) {
    if (fail.target.host && hosts.empty())
      throw InputError(
          fmt::format("faults.fail: {}: hosts have no names here; give the rank of a member on it",
                      fail.target.label()));
    Failure failure{.label = fail.target.label(),
                    .at = fail.at,
                    .back = fail.back.value_or(kForever),
                    .workers = {},
                    .servers = {},
                    .is_partition = fail.is_partition,
                    .patience = fail.is_partition ? scenario.timeout : 0};
    for (int rank = 0; rank < scenario.members(); ++rank) {
      if (!is_on(scenario, hosts, fail.target, rank)) continue;
      (rank < scenario.workers ? failure.workers : failure.servers).push_back(rank);
    }
    failures.push_back(std::move(failure));
  }
  return failures;
}

FailedJob go_through_failures(
    const std::vector<Failure>& failures, const RecoverySpec& recovery, int workers, int iterations,
    int group, const std::function<std::vector<Seconds>(const TrainingStretch&)>& run) {
  return Journey(failures, recovery, workers, iterations, group).go(run);
}

nlohmann::json describe(const FailedJob& job) {
  nlohmann::json events = nlohmann::json::array();
  for (const JobEvent& event : job.events)
    events.push_back({{"seconds", event.at}, {"event", event.what}, {"workers", event.workers}});
  return events;
}

void add_failures(LostTimes& times, const FailedJob& job, Seconds undisturbed,
                  const std::string& rest) {
  times.add_stop("work lost", job.lost_work);
  times.add_stop("detection", job.detection);
  times.add_stop("restart", job.restart);
  times.add_stop("reading checkpoints", job.read);
  times.add_stop("writing checkpoints", job.write);
  times.add_stop("partitions", job.held_up);
  times.add_stop(rest, job.training - undisturbed);
}

}  // namespace tandem
