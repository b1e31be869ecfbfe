#include "core/strategies/pairwise_averaging.h"

#include "core/strategies/tournament.h"

namespace tandem {
namespace {

constexpr Tag kWeights = 0;

}  // namespace

PairwiseAveraging::PairwiseAveraging(Replica& replica)
    : replica_(replica),
      theirs_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)) {}

void PairwiseAveraging::end_iteration() {
  replica_.step_alone();
  const std::optional<int> passes = replica_.scenario.algorithm.passes;
  if (!passes) return average_over_workers(replica_, replica_.parameters.view());
  for (int i = 0; i < *passes; ++i) pass();
}

void PairwiseAveraging::pass() {
  const Group& group = replica_.worker.group();
  round_ %= tournament_rounds(group.size);  // which may be that of more workers
  const std::optional<int> partner = tournament_partner(group.size, group.rank, round_++);
  if (!partner) return;
  const View mine = replica_.parameters.view();
  Handle handles[] = {replica_.worker.send(*partner, kWeights, mine),
                      replica_.worker.receive(*partner, kWeights, theirs_.view())};
  wait_all(replica_.worker, handles);
  average_with(replica_.worker, mine, theirs_.view());
}

void PairwiseAveraging::visit_state(StateVisitor& visitor) {
  replica_.visit_state(visitor, Holder::kOwn);
  visit_value(visitor, "tournament.round", round_);
}

}  // namespace tandem
