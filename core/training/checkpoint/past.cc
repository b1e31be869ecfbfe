#include "core/training/checkpoint/past.h"

#include <algorithm>

#include "core/strategies/strategy.h"

namespace tandem {
namespace {

/// A count of Recorder::staleness().
struct StaleUpdates {
  std::int64_t updates = 0;
  std::uint64_t times = 0;
};

void visit_staleness(StateVisitor& visitor, std::map<int, std::uint64_t>& staleness) {
  std::vector<StaleUpdates> counts;
  for (const auto& [updates, times] : staleness) counts.push_back({updates, times});
  visit_vector(visitor, "record.staleness", counts);
  staleness.clear();
  for (const StaleUpdates& one : counts) staleness[static_cast<int>(one.updates)] = one.times;
}

/// What a member has sent in its first `count` iterations that were recorded.
std::uint64_t sent_bytes(const RecordedPast& past, int count) {
  std::uint64_t sum = 0;
  const auto all = static_cast<int>(past.iterations.size());
  for (int i = 0; i < std::min(count, all); ++i) sum += past.iterations[i].traffic.sent_bytes;
  return sum;
}

/// Of jobs that a training was part of, one after the other: the members of the last.
class Forebears {
 public:
  Forebears(const std::vector<MemberFile>& files, const Membership& saved,
            const Scenario& scenario) {
    for (int rank = 0; rank < saved.members(); ++rank)
      restore_state(files, saved, {rank, saved.workers, saved.servers},
                    [&](StateVisitor& visitor) {
                      visit_past(visitor, all_.emplace_back(), scenario);
                    });
    Scenario theirs = scenario;
    theirs.workers = saved.workers;
    samples_per_iteration_ = theirs.samples_per_iteration();
  }

  Inheritance inheritance() const {
    Inheritance sum = first().inherited;
    const auto count = static_cast<int>(first().iterations.size());
    sum.iterations += count;
    for (const IterationRecord& iteration : first().iterations)
      sum.time += iteration.end - iteration.begin;
    sum.samples += static_cast<std::uint64_t>(count * samples_per_iteration_);
    sum.sent_bytes = sent_bytes_until(sum.iterations);
    return sum;
  }

  std::vector<Evaluation> evaluations() const {
    std::vector<Evaluation> evaluations = first().evaluations;
    for (Evaluation& one : evaluations)
      if (!one.sent_bytes) one.sent_bytes = sent_bytes_until(one.iteration);
    return evaluations;
  }

 private:
  const RecordedPast& first() const { return all_.front(); }

  /// What all sent in the training's first `iterations`, those of others before them among it.
  std::uint64_t sent_bytes_until(int iterations) const {
    std::uint64_t sum = first().inherited.sent_bytes;
    for (const RecordedPast& past : all_)
      sum += sent_bytes(past, iterations - past.inherited.iterations);
    return sum;
  }

  std::vector<RecordedPast> all_;  ///< by rank
  double samples_per_iteration_ = 0;
};

}  // namespace

void visit_past(StateVisitor& visitor, RecordedPast& past, const Scenario& scenario) {
  visit_value(visitor, "record.inherited", past.inherited);
  visit_vector(visitor, "record.iterations", past.iterations);
  visit_vector(visitor, "record.evaluations", past.evaluations);
  visit_value(visitor, "record.traffic", past.traffic);
  if (!is_in_step(scenario)) visit_staleness(visitor, past.staleness);
}

RecordedPast inherited_past(const std::vector<MemberFile>& files, const Membership& saved,
                            const Scenario& scenario) {
  const Forebears forebears(files, saved, scenario);
  return {.inherited = forebears.inheritance(), .evaluations = forebears.evaluations()};
}

}  // namespace tandem
