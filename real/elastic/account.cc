#include "real/elastic/account.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/median.h"

namespace tandem::elastic {
namespace {

using Entry = std::vector<JournalEntry>::const_iterator;

/// When the member that fails at `loss` can be reached again; the journal's end where it can't.
Entry reached_again(const std::vector<JournalEntry>& journal, Entry loss) {
  return std::find_if(loss, journal.end(), [&](const JournalEntry& entry) {
    return entry.moment == JobMoment::kReturns && entry.number == loss->number;
  });
}

/// Whether the others give up waiting for the member that fails at `loss` before messages get
/// through again.
bool is_lost(const Stretch& stretch, Entry loss) {
  const Entry back = reached_again(stretch.journal, loss);
  return back == stretch.journal.end() || tcp_silence(back->at - loss->at) >= stretch.patience;
}

std::optional<Seconds> first(const Stretch& stretch, JobMoment moment) {
  for (const JournalEntry& entry : stretch.journal)
    if (entry.moment == moment) return entry.at;
  return std::nullopt;
}

/// Whether a member was cut off in a part of what ended at `end`, and reached again.
bool is_held_up(const Stretch& stretch, Seconds end, Seconds duration) {
  const std::vector<JournalEntry>& journal = stretch.journal;
  for (auto cut = journal.begin(); cut != journal.end(); ++cut) {
    if (cut->moment != JobMoment::kFails || cut->at > end) continue;
    const auto back = reached_again(journal, cut);
    if (back != journal.end() && back->at > end - duration) return true;
  }
  return false;
}

/// Until when what the stretch did counts: its last checkpoint, or the end of the training.
std::optional<Seconds> kept_until(const Stretch& stretch) {
  const JobMoment moment = stretch.end == End::kDone ? JobMoment::kIterates : JobMoment::kWritten;
  std::optional<Seconds> until = first(stretch, JobMoment::kBegins);
  for (const JournalEntry& entry : stretch.journal)
    if (entry.moment == moment && entry.number <= stretch.kept) until = entry.at;
  return until;
}

bool was_given_up(const Stretch& stretch, const JournalEntry& entry) {
  return stretch.silent_since && entry.at > *stretch.silent_since;
}

/// Of what a stretch does again and again, and how much longer some took for a member that was cut
/// off: than the others, in the median.
class Durations {
 public:
  void add(const Stretch& stretch, Seconds end, Seconds duration) {
    (is_held_up(stretch, end, duration) ? held_up_ : smooth_).push_back(duration);
  }
  Seconds without_hold_ups() const { return sum(smooth_) + sum(held_up_) - held_up_for(); }
  Seconds held_up_for() const {
    const Seconds usual = smooth_.empty() ? 0 : median(smooth_);
    Seconds longer = 0;
    for (const Seconds duration : held_up_) longer += std::max(0.0, duration - usual);
    return longer;
  }

 private:
  static Seconds sum(const std::vector<Seconds>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  }

  std::vector<Seconds> smooth_, held_up_;
};

/// One stretch after the other.
class Account {
 public:
  FailedJob of(const std::vector<Stretch>& stretches) {
    const Seconds began = first(stretches.front(), JobMoment::kBegins).value_or(0);
    for (const Stretch& stretch : stretches) add(stretch);
    job_.total = stood_still_since_.value_or(began) - began;
    job_.between = std::max(0.0, job_.total - job_.training - job_.lost_work - job_.detection -
                                     job_.restart - job_.read - job_.write - job_.held_up);
    return std::move(job_);
  }

 private:
  void add(const Stretch& stretch) {
    const std::optional<Seconds> begins = first(stretch, JobMoment::kBegins);
    start(stretch, begins);
    train(stretch);
    const std::optional<Seconds> kept = kept_until(stretch);
    stood_still_since_ = kept.value_or(stretch.ended);
    if (stretch.end != End::kLost) return;
    const Seconds lost = time_of_loss(stretch);
    if (kept) job_.lost_work += std::max(0.0, lost - *kept);
    job_.detection += std::max(0.0, stretch.ended - lost);
    stood_still_since_ = stretch.ended;
  }

  void start(const Stretch& stretch, const std::optional<Seconds>& begins) {
    if (!stood_still_since_) return;  // the job's first
    if (!begins) {
      job_.restart += std::max(0.0, time_of_loss(stretch) - *stood_still_since_);
      return;
    }
    const Seconds reads = first(stretch, JobMoment::kReads).value_or(*begins);
    job_.restart += reads - *stood_still_since_;
    job_.read += *begins - reads;
  }

  void train(const Stretch& stretch) {
    const Seconds end = kept_until(stretch).value_or(0);
    std::optional<Seconds> writes, tests;
    Durations iterations, checkpoints, evaluations;
    for (const JournalEntry& entry : stretch.journal) {
      if (entry.number > stretch.kept || entry.at > end || was_given_up(stretch, entry)) continue;
      if (entry.moment == JobMoment::kIterates) iterations.add(stretch, entry.at, entry.duration);
      if (entry.moment == JobMoment::kWrites) writes = entry.at;
      if (entry.moment == JobMoment::kWritten && writes)
        checkpoints.add(stretch, entry.at, entry.at - *writes);
      if (entry.moment == JobMoment::kTests) tests = entry.at;
      if (entry.moment == JobMoment::kTested && tests)
        evaluations.add(stretch, entry.at, entry.at - *tests);
    }
    job_.training += iterations.without_hold_ups();
    job_.write += checkpoints.without_hold_ups();
    job_.held_up +=
        iterations.held_up_for() + checkpoints.held_up_for() + evaluations.held_up_for();
  }

  FailedJob job_;
  std::optional<Seconds> stood_still_since_;
};

}  // namespace

std::vector<JournalEntry> told_losses(const Stretch& stretch) {
  const std::vector<JournalEntry>& journal = stretch.journal;
  std::vector<JournalEntry> losses;
  for (auto entry = journal.begin(); entry != journal.end(); ++entry)
    if (entry->moment == JobMoment::kFails && is_lost(stretch, entry)) losses.push_back(*entry);
  return losses;
}

Seconds time_of_loss(const Stretch& stretch) {
  if (const auto told = told_losses(stretch); !told.empty()) return told.front().at;
  if (stretch.silent_since) return *stretch.silent_since;
  Seconds last = stretch.ended;
  for (const JournalEntry& entry : stretch.journal)
    if (!entry.is_of_member()) last = entry.at;
  return last;
}

FailedJob account(const std::vector<Stretch>& stretches) {
  return Account().of(stretches);
}

RecoverySpec mean_costs(const std::vector<Stretch>& stretches, const FailedJob& job) {
  int losses = 0, restarts = 0, reads = 0, writes = 0;
  for (const Stretch& stretch : stretches) {
    losses += stretch.end == End::kLost ? 1 : 0;
    const bool is_restart = &stretch != &stretches.front();
    restarts += is_restart ? 1 : 0;
    reads += is_restart && stretch.first > 0 ? 1 : 0;
    for (const JournalEntry& entry : stretch.journal)
      if (entry.moment == JobMoment::kWritten && entry.number <= stretch.kept &&
          !was_given_up(stretch, entry))
        ++writes;
  }
  const auto each = [](Seconds sum, int count) { return sum / std::max(1, count); };
  return {.write = each(job.write, writes),
          .detection = each(job.detection, losses),
          .restart = each(job.restart, restarts),
          .read = each(job.read, reads)};
}

std::vector<Seconds> whole_iterations(const std::vector<Stretch>& stretches, int workers,
                                      int warmup) {
  std::vector<Seconds> durations;
  for (const Stretch& stretch : stretches) {
    if (stretch.workers != workers) continue;
    for (const JournalEntry& entry : stretch.journal)
      if (entry.moment == JobMoment::kIterates && entry.number > warmup &&
          entry.number <= stretch.kept)
        durations.push_back(entry.duration);
  }
  return durations;
}

Seconds undisturbed(const std::vector<Stretch>& stretches, int workers, int warmup,
                    int iterations) {
  const std::vector<Seconds> durations = whole_iterations(stretches, workers, warmup);
  if (durations.empty()) return 0;
  const Seconds usual = median(durations);
  Seconds sum = iterations * usual;
  for (const Stretch& stretch : stretches)
    for (const JournalEntry& entry : stretch.journal)
      if (entry.moment == JobMoment::kIterates && entry.number <= std::min(warmup, stretch.kept) &&
          stretch.workers == workers && !is_held_up(stretch, entry.at, entry.duration))
        sum += entry.duration - usual;
  return sum;
}

}  // namespace tandem::elastic
