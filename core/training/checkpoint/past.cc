#include "core/training/checkpoint/past.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/record/sent_bytes.h"

namespace tandem {

void visit_past(StateVisitor& visitor, RecordedPast& past) {
  visit_value(visitor, "record.inherited", past.inherited);
  visit_vector(visitor, "record.iterations", past.iterations);
  visit_vector(visitor, "record.evaluations", past.evaluations);
  visit_value(visitor, "record.traffic", past.traffic);
  visit_vector(visitor, "record.staleness", past.staleness);
}

void require_past_of(const RecordedPast& past, int iterations) {
  const int inherited = past.inherited.iterations;
  const bool counts_well = inherited >= 0 && inherited <= iterations &&
                           past.iterations.size() == std::size_t(iterations - inherited);
  const bool is_evaluated_in_turn =
      std::ranges::is_sorted(past.evaluations, std::less{}, &Evaluation::iteration) &&
      std::ranges::all_of(past.evaluations, [&](const Evaluation& one) {
        return one.iteration > 0 && one.iteration <= iterations;
      });
  if (!counts_well || !is_evaluated_in_turn)
    throw RunError("what it recorded is of other iterations");
}

RecordedPast inherited_past(const std::vector<MemberFile>& files, const Membership& saved,
                            int iterations, double samples) {
  std::vector<RecordedPast> theirs(saved.members());
  for (int rank = 0; rank < saved.members(); ++rank) {
    restore_state(files, saved, {rank, saved.workers, saved.servers},
                  [&](StateVisitor& visitor) { visit_past(visitor, theirs[rank]); });
    if (rank < saved.workers) require_past_of(theirs[rank], iterations);
  }
  const RecordedPast& first = theirs.front();
  SentBytes sent(first.inherited.iterations, first.inherited.sent_bytes);
  for (const RecordedPast& past : theirs) sent.add(past.iterations);

  RecordedPast ours{.inherited = with_iterations(first.inherited, first.iterations, samples),
                    .evaluations = first.evaluations};
  ours.inherited.sent_bytes = sent.until(iterations);
  for (Evaluation& one : ours.evaluations)
    if (one.iteration > first.inherited.iterations) one.inherited_bytes = sent.until(one.iteration);
  return ours;
}

}  // namespace tandem
