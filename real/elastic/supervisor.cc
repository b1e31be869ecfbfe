#include "real/elastic/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/main.h"
#include "core/base/median.h"
#include "core/command/mpi_errors.h"
#include "core/command/naps.h"
#include "core/faults/fewer_workers.h"
#include "core/record/text_table.h"
#include "core/training/checkpoint/choose.h"
#include "core/training/checkpoint/folder_lock.h"

namespace tandem::elastic {
namespace {

constexpr int kMostLosses = 3;  // of a worker, before it stays out
// Less than that of whoever started this process, which would else be killed before it has ended
// the job.
constexpr std::chrono::seconds kPatience{3};
constexpr int kMostIdleStretches = 3;  // one after the other
constexpr Seconds kEndIn = 2;          // mpirun gives ranks one second, and takes less itself
constexpr Seconds kLingerFor = 20;     // members of a job that were killed, or are on other hosts
// A job says nothing while it tests its accuracy or writes a checkpoint, for as long as these take;
// nor does one of which a member hangs meanwhile.
constexpr double kTimeoutsOfSilence = 4, kLongestSilences = 10;
constexpr Seconds kRounding = 1e-9;

/// Of its work so much has been done at a checkpoint that the scenario can go on from.
double done_at(const Scenario& scenario, int iteration) {
  if (iteration == 0) return 0;
  const std::filesystem::path checkpoint = checkpoint_path(*scenario.checkpoint->path, iteration);
  try {
    return Manifest::load(checkpoint).done;
  } catch (const RunError& error) {
    throw InputError(fmt::format("can't go on from {}: {}", checkpoint.string(), error.what()));
  }
}

}  // namespace

Supervisor::Supervisor(const Scenario& scenario, const LaunchOptions& launch,
                       std::string tandem_run, PointFiles files)
    : Supervisor(prepare_experiment(scenario, false, {}), launch, std::move(tandem_run),
                 std::move(files)) {}

// The experiment's scenario has the length of a cosine resolved: it is that of the whole training,
// however many iterations fewer workers take.
Supervisor::Supervisor(const Experiment& whole, const LaunchOptions& launch, std::string tandem_run,
                       PointFiles files)
    : scenario_(whole.scenario),
      tandem_run_(std::move(tandem_run)),
      files_(std::move(files)),
      places_(launch, scenario_),
      watch_([this](const std::vector<int>& asked) { return places_.ask(asked, folder_); }),
      planned_(whole.iterations),
      failures_(places_.failures(scenario_)),
      has_struck_(failures_.size()),
      absences_(scenario_.workers),
      losses_(scenario_.workers),
      there_(scenario_.workers) {
  std::iota(there_.begin(), there_.end(), 0);
  if (!has_checkpoints()) return;
  saved_ = scenario_.checkpoint->resume.value_or(0);
  done_ = done_at(scenario_, saved_);
  require_newest();
}

void Supervisor::require_newest() const {
  for (const int iteration : complete_checkpoints(*scenario_.checkpoint->path)) {
    if (iteration <= saved_) return;
    const auto checkpoint = checkpoint_path(*scenario_.checkpoint->path, iteration);
    if (refusal_of(checkpoint, scenario_).empty())
      throw InputError(
          fmt::format("an elastic run goes on from the newest checkpoint, which is {}; remove "
                      "those after {}, or leave checkpoint.resume out",
                      checkpoint.string(), saved_));
  }
}

PointResult Supervisor::run() {
  while (true) {
    if (interrupted() != 0) throw RunError("interrupted");
    begin_stretch();
    const ProcessEnd end = watch();
    Stretch& stretch = stretches_.back();
    stretch.ended = time_since_1970();
    if (interrupted() != 0) throw RunError("interrupted");
    // It is written when all members are done, of whom some may still be lost.
    if (std::filesystem::exists(PointFiles{folder_}.result())) {
      stretch.end = End::kDone;
      stretch.kept = last_;
      reach_all_again(stretch);
      return finish(end);
    }
    if (!began_) {
      begin_again(end);
      continue;
    }
    stretch.end = takes_back_ && told_losses(stretch).empty() ? End::kTakesBack : End::kLost;
    const std::string reason = stretch.end == End::kLost ? lose_members(end) : "";
    go_back_to_checkpoint();
    idle_stretches_ = reason.empty() || saved_ > stretch.first ? 0 : idle_stretches_ + 1;
    if (idle_stretches_ == kMostIdleStretches) throw RunError(reason);
    strike_unnoticed();
    watch_.await_answers();
    there_ = workers_there(now(), stretch.end == End::kTakesBack);
    if (too_few()) there_ = workers_there(now(), true);  // who was lost once may well be there
    require_enough(reason);
    for (const int worker : there_) absences_[worker] = {};
    next_event_ = stretch.end == End::kTakesBack ? "a host that is back takes part"
                  : saved_ > 0                   ? "training goes on from the last checkpoint"
                                                 : "training starts over";
  }
}

void Supervisor::begin_stretch() {
  const int workers = static_cast<int>(there_.size());
  last_ = saved_ + std::max(0, iterations_of_fewer(planned_ - done_, workers, scenario_.workers));
  takes_back_ = false;
  should_end_.reset();
  heard_.reset();
  started_ = time_since_1970();
  folder_ = files_.folder / fmt::format("stretch-{}", ++attempts_);
  std::filesystem::create_directories(folder_);
  const PointFiles files{folder_};
  const Scenario stretch = stretch_scenario();
  write_file_atomically(files.point(), to_json(stretch).dump(2));
  journal_.emplace(files.journal());
  stretches_.push_back(
      {.workers = workers, .first = saved_, .kept = saved_, .patience = scenario_.timeout});

  const double share = static_cast<double>(workers) / scenario_.workers;
  std::vector<std::string> program = {
      tandem_run_,       files.point(), "--result",      files.result(), "--progress",
      files_.progress(), "--journal",   files.journal(), "--share",      fmt::format("{}", share)};
  if (began_) program.insert(program.end(), {"--job-began", fmt::format("{:.6f}", *began_)});
  std::vector<int> without;
  for (int worker = 0; worker < scenario_.workers; ++worker)
    if (!std::ranges::binary_search(there_, worker)) without.push_back(worker);
  std::optional<LabFaults> faults;
  if (stretch.faults.befalls_network())
    faults = {.point = files.point(), .journal = files.journal(), .job_began = began_};
  process_.emplace(places_.command(members(), without, program, folder_, faults), files.log());
  process_->set_folder_of_ranks(folder_);
}

bool Supervisor::has_checkpoints() const {
  return scenario_.checkpoint && !scenario_.is_paced();
}

std::vector<int> Supervisor::members() const {
  std::vector<int> members = there_;
  for (int rank = scenario_.workers; rank < scenario_.members(); ++rank) members.push_back(rank);
  return members;
}

Scenario Supervisor::stretch_scenario() const {
  Scenario stretch =
      with_fewer(scenario_, static_cast<int>(there_.size()), last_ - scenario_.warmup_iterations);
  stretch.faults = {};
  stretch.faults.links = scenario_.faults.links;
  stretch.faults.traffic = scenario_.faults.traffic;
  stretch.faults.fail = failures_to_come();
  stretch.faults.slow = slow_members();
  if (stretch.checkpoint) {
    stretch.checkpoint->resume.reset();
    if (saved_ > 0) stretch.checkpoint->resume = saved_;
  }
  return stretch;
}

std::vector<FailSpec> Supervisor::failures_to_come() const {
  const std::vector<int> members = this->members();
  std::vector<FailSpec> to_come;
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    if (has_struck_[i]) continue;
    const FailSpec& fail = scenario_.faults.fail[i];
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      if (!failures_[i].strikes(members[rank])) continue;
      to_come.push_back({.target = {.rank = static_cast<int>(rank)},
                         .at = fail.at,
                         .back = fail.back,
                         .is_partition = fail.is_partition});
      if (fail.is_partition) break;  // of the host, not of each member
    }
  }
  return to_come;
}

std::vector<SlowSpec> Supervisor::slow_members() const {
  const std::vector<int> members = this->members();
  std::vector<SlowSpec> slow_ones;
  for (SlowSpec slow : scenario_.faults.slow) {
    const auto member = std::ranges::find(members, slow.target.rank.value_or(-1));
    if (member == members.end()) continue;
    slow.target.rank = static_cast<int>(member - members.begin());
    slow_ones.push_back(std::move(slow));
  }
  return slow_ones;
}

ProcessEnd Supervisor::watch() {
  process_->set_patience(kPatience);
  ProcessEnd end = process_->wait([this] {
    take_journal();
    watch_.look_again();
    if (takes_back_) process_->ask_to_end();
    end_what_hangs();
  });
  process_.reset();
  take_journal();
  return end;
}

void Supervisor::take_journal() {
  std::vector<JournalEntry>& journal = stretches_.back().journal;
  for (const JournalEntry& entry : journal_->read()) {
    if (entry.moment == JobMoment::kDisturbed) continue;  // its launcher's, who begins before it
    if (entry.is_of_member() &&
        (entry.number < 0 || std::cmp_greater_equal(entry.number, members().size())))
      continue;  // a line that was torn
    journal.push_back(entry);
    if (!entry.is_of_member())
      take_step(entry);
    else if (entry.moment == JobMoment::kReturns && !is_told_lost(entry.number))
      reach_again(members()[entry.number], since_began(entry.at));
  }
}

bool Supervisor::is_told_lost(int number) const {
  return std::ranges::any_of(told_losses(stretches_.back()),
                             [&](const JournalEntry& loss) { return loss.number == number; });
}

void Supervisor::take_step(const JournalEntry& entry) {
  if (entry.moment == JobMoment::kBegins) {
    if (!began_) began_ = entry.at;
    tell(next_event_, since_began(entry.at));
  }
  if (entry.moment == JobMoment::kWritten && entry.number < last_)
    takes_back_ = takes_back_ || can_take_back(since_began(entry.at));
  if (heard_) longest_silence_ = std::max(longest_silence_, entry.at - *heard_);
  heard_ = entry.at;
}

void Supervisor::end_what_hangs() {
  const Seconds now = time_since_1970();
  const bool should_end =
      takes_back_ || std::filesystem::exists(PointFiles{folder_}.error());  // a rank gave up
  if (should_end && !should_end_) should_end_ = now;
  const Seconds patience =
      heard_ ? kTimeoutsOfSilence * scenario_.timeout + kLongestSilences * longest_silence_
             : std::max(kStartIn, scenario_.timeout);
  const Seconds silence = now - heard_.value_or(started_);
  if (!should_end_ && silence > patience) {
    write_file_atomically(
        PointFiles{folder_}.error(),
        fmt::format("nothing was heard of the job for {:.3g} s; does a member of it hang, or is "
                    "timeout too short?",
                    silence));
    should_end_ = now - kEndIn;
    stretches_.back().silent_since = heard_;
  }
  const bool never_starts =
      began_ && stretches_.back().journal.empty() && watch_.is_late(started_) && lose_unreachable();
  if (never_starts || (should_end_ && now - *should_end_ > kEndIn)) process_->terminate();
}

bool Supervisor::can_take_back(Seconds at) const {
  return workers_there(at, true).size() > there_.size();
}

std::vector<int> Supervisor::workers_there(Seconds at, bool at_checkpoint) const {
  std::vector<int> there;
  for (int worker = 0; worker < scenario_.workers; ++worker) {
    const Absence& absence = absences_[worker];
    if (absence.until <= at && !watch_.is_missing(worker) &&
        (at_checkpoint || !absence.until_checkpoint))
      there.push_back(worker);
  }
  there.resize(whole_groups(static_cast<int>(there.size()), scenario_.stages()));
  return there;
}

// Nothing was trained: as if it had not been tried.
void Supervisor::begin_again(const ProcessEnd& end) {
  const PointFiles files{folder_};
  const JobFailure failure = job_failure(end, files.error(), files.log());
  if (failure.exit_code == kExitBadInput) throw InputError(failure.message);
  if (++idle_stretches_ == kMostIdleStretches) throw RunError(failure.message);
  tell(failure.message + "; the job starts anew", 0);
  stretches_.pop_back();
  watch_.ask_no_more();     // what was asked writes there
  std::error_code ignored;  // somebody on another host may still write there
  std::filesystem::remove_all(folder_, ignored);
}

std::string Supervisor::lose_members(const ProcessEnd& end) {
  const Stretch& stretch = stretches_.back();
  const Seconds at = since_began(time_of_loss(stretch));
  const std::vector<int> members = this->members();
  const std::vector<JournalEntry> losses = told_losses(stretch);
  for (const JournalEntry& entry : losses) {
    for (std::size_t i = 0; i < failures_.size(); ++i)
      if (!has_struck_[i] && failures_[i].at <= now() &&
          failures_[i].strikes(members[entry.number]))
        strike(i, since_began(entry.at));
  }
  if (!losses.empty()) return "";
  const PointFiles files{folder_};
  const JobFailure failure = job_failure(end, files.error(), files.log());
  if (failure.exit_code == kExitBadInput) throw InputError(failure.message);
  const std::optional<LostRank>& lost = failure.lost;
  std::string message = failure.message;  // such as of a wait that took too long
  const bool is_known = lost && lost->rank < static_cast<int>(members.size());
  if (is_known) {
    message = fmt::format("rank {} {}", members[lost->rank], lost->what);
    lose(members[lost->rank]);
  }
  tell(message, at, workers_there(at, false).size());
  if (!is_known && std::ranges::none_of(there_, [&](int w) { return watch_.is_missing(w); }))
    lose_unreachable();
  return message;
}

void Supervisor::lose(int rank) {
  if (rank >= scenario_.workers) return;  // another server takes its place
  Absence& absence = absences_[rank];
  absence = {.until = 0, .until_checkpoint = true};
  if (++losses_[rank] == kMostLosses) absence.until = kForever;
}

bool Supervisor::lose_unreachable() {
  if (places_.hosts().empty()) return false;
  const std::vector<int> missing = watch_.look(members());
  for (const int rank : missing) {
    if (rank >= scenario_.workers)
      throw RunError(fmt::format("host {}, of a server, can't be reached", places_.hosts()[rank]));
    absences_[rank] = {.until = 0, .until_checkpoint = true};
    tell(fmt::format("host {} can't be reached", places_.hosts()[rank]), now(),
         workers_there(now(), false).size());
  }
  return !missing.empty();
}

void Supervisor::reach_again(int rank, Seconds at) {
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    if (has_struck_[i] || !failures_[i].is_partition || !failures_[i].strikes(rank)) continue;
    if (failures_[i].back > at + kRounding) continue;
    has_struck_[i] = true;
    tell(failures_[i].label + " was cut off for a while", at);
  }
}

// However long they were waited for: whoever writes or reads a checkpoint waits without end.
void Supervisor::reach_all_again(const Stretch& done) {
  for (const JournalEntry& entry : done.journal)
    if (entry.moment == JobMoment::kReturns)
      reach_again(members()[entry.number], since_began(entry.at));
}

void Supervisor::strike(std::size_t index, Seconds at) {
  const Failure& failure = failures_[index];
  has_struck_[index] = true;
  const bool was_there =
      !failure.servers.empty() ||
      std::ranges::any_of(failure.workers, [&](int w) { return absences_[w].until <= at; });
  for (const int worker : failure.workers)
    absences_[worker].until = std::max(absences_[worker].until, failure.back);
  if (!was_there) return;  // by an earlier failure
  // Whoever is back by the time it is noted was not there meanwhile.
  tell(failure.label + (failure.is_partition ? " is cut off" : " fails"), at,
       workers_there(std::min(at, failure.at), false).size());
}

// A host that fails while all stand still is found out at the restart.
void Supervisor::strike_unnoticed() {
  for (std::size_t i = 0; i < failures_.size(); ++i)
    if (began_ && !has_struck_[i] && failures_[i].at <= now()) strike(i, now());
}

void Supervisor::await_members() const {
  const std::filesystem::path folder = *scenario_.checkpoint->path;
  if (wait_until_unlocked(folder, kLingerFor)) return;
  throw RunError(
      fmt::format("some of the lost job's members have not ended and may still write to {}; once "
                  "they are gone, go on with --resume",
                  folder.string()));
}

void Supervisor::go_back_to_checkpoint() {
  saved_ = 0;
  done_ = 0;
  if (has_checkpoints()) {
    const std::filesystem::path folder = *scenario_.checkpoint->path;
    await_members();
    const CheckpointChoice choice = choose_checkpoint(folder, stretch_scenario());
    for (const std::string& refused : choice.refused) tell("can't go on from " + refused, now());
    saved_ = choice.iteration.value_or(0);
    done_ = done_at(scenario_, saved_);
  }
  stretches_.back().kept = saved_;
  for (Stretch& stretch : stretches_) stretch.kept = std::min(stretch.kept, saved_);
}

std::optional<std::string> Supervisor::too_few() const {
  return too_few_for(static_cast<int>(there_.size()), scenario_.stages(),
                     scenario_.faults.recovery);
}

void Supervisor::require_enough(const std::string& reason) const {
  const auto least = too_few();
  if (!least) return;
  throw RunError(fmt::format(
      "{}{} left, fewer than {}; {}", reason.empty() ? "" : reason + "; ",
      counted(there_.size(), "worker"), *least,
      saved_ > 0 ? "go on with --resume once there are more" : "there is no checkpoint yet"));
}

void Supervisor::tell(const std::string& what, Seconds at) {
  tell(what, at, there_.size());
}

void Supervisor::tell(const std::string& what, Seconds at, std::size_t workers) {
  const auto later = std::ranges::upper_bound(events_, at, {}, &JobEvent::at);
  events_.insert(later, {.at = at, .what = what, .workers = static_cast<int>(workers)});
  std::ofstream(files_.news(), std::ios::app) << fmt::format("{:.1f} s: {}\n", at, what);
}

PointResult Supervisor::finish(const ProcessEnd& end) {
  PointResult result = PointResult::load(PointFiles{folder_}.result(), scenario_);
  FailedJob job = account(stretches_);
  tell("training is done", job.total);
  if (end.exit_code != 0 && !takes_back_) {  // else it was asked to end
    const PointFiles files{folder_};
    tell(job_failure(end, files.error(), files.log()).message + "; all was done by then", now());
  }
  job.events = events_;
  result.environment["failures"] = describe(job);
  const RecoverySpec costs = mean_costs(stretches_, job);
  result.environment["recovery_seconds"] = {{"write", costs.write},
                                            {"detection", costs.detection},
                                            {"restart", costs.restart},
                                            {"read", costs.read}};

  Summary& summary = result.summary;
  const std::vector<Seconds> whole =
      whole_iterations(stretches_, scenario_.workers, scenario_.warmup_iterations);
  const auto forget = [&](std::initializer_list<std::optional<double> Summary::*> figures) {
    for (auto figure : figures) (summary.*figure).reset();
  };
  const bool were_fewer = std::ranges::any_of(
      stretches_, [this](const Stretch& stretch) { return stretch.workers != scenario_.workers; });
  // Totals over all iterations, of which the last job may have records of its own alone.
  if (result.members.front().first_iteration > 0)
    forget({&Summary::sent_bytes_per_worker, &Summary::received_bytes_per_worker,
            &Summary::server_sent_bytes, &Summary::server_received_bytes});
  if (static_cast<int>(there_.size()) < scenario_.workers) {  // times of fewer workers
    result.environment["recorded_workers"] = there_.size();
    summary.workers = scenario_.workers;
    forget({&Summary::compute_s, &Summary::exposed_communication_s, &Summary::iteration_s,
            &Summary::images_per_s});
    if (!whole.empty()) {
      summary.iteration_s = median(whole);
      summary.images_per_s = scenario_.samples_per_iteration() / *summary.iteration_s;
    }
  }
  if (whole.empty()) {  // nothing says what the run would have taken undisturbed
    summary.total_s = job.total;
    return result;
  }
  const Seconds iterations = undisturbed(stretches_, scenario_.workers, scenario_.warmup_iterations,
                                         planned_ - stretches_.front().first);
  result.lost.emplace();
  result.lost->total = result.lost->undisturbed = iterations + job.between;
  add_failures(*result.lost, job, iterations, were_fewer ? "fewer workers" : "uneven iterations");
  summary.total_s = result.lost->total;
  summary.lost_s = result.lost->lost();
  return result;
}

}  // namespace tandem::elastic
