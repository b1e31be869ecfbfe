#include "core/explain/hold_rule.h"

#include "core/model/custom.h"
#include "core/strategies/parameter_server/answer_needs.h"
#include "core/strategies/parameter_server/pieces.h"

namespace tandem {

HoldRule hold_rule(const Scenario& scenario) {
  if (scenario.algorithm.name != "parameter_server") return {};
  const auto pieces = cut_into_pieces(build_model(scenario.model), scenario.algorithm);
  return [algorithm = scenario.algorithm, workers = scenario.workers, pieces](int worker, int tag,
                                                                              int number) {
    const AnswerNeeds needs = answer_needs(algorithm, number);
    const std::size_t piece = pulled_piece(tag);
    MessageCounts counts;
    for (int other = 0; other < workers; ++other)
      counts[{other, push_tag(piece)}] = other == worker ? needs.own : needs.others;
    for (std::size_t i = 0; i < pieces.size() && needs.of_all; ++i)
      if (pieces[i].server == pieces[piece].server) counts[{worker, push_tag(i)}] = needs.own;
    counts[{kPutOffWork, push_tag(piece)}] = needs.iterations;
    counts[{worker, kAskTag}] = needs.questions;
    std::erase_if(counts, [](const auto& entry) { return entry.second <= 0; });
    return counts;
  };
}

}  // namespace tandem
