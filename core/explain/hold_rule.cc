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
    Needs all;
    for (int other = 0; other < workers; ++other)
      all.own[{other, push_tag(piece)}] = other == worker ? needs.own : needs.others;
    all.own[{kPutOffWork, push_tag(piece)}] = needs.iterations;
    all.own[{worker, kAskTag}] = needs.questions;
    std::erase_if(all.own, [](const auto& entry) { return entry.second <= 0; });
    if (needs.of_all && needs.own > 0)
      all.joint = [&pieces, server = pieces.at(piece).server, worker, pushes = needs.own] {
        MessageCounts counts;
        for (std::size_t i = 0; i < pieces.size(); ++i)
          if (pieces[i].server == server) counts[{worker, push_tag(i)}] = pushes;
        return counts;
      };
    return all;
  };
}

}  // namespace tandem
