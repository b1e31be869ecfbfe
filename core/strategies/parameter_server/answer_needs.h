#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/scenario/scenario.h"
#include "core/strategies/parameter_server/pieces.h"

namespace tandem {

/// What an asynchronous server must have of a piece before it answers a pull of it.
struct AnswerNeeds {
  int questions = 0;  ///< of the worker
  int own = 0;        ///< pushes of the worker
  int others = 0;     ///< pushes of each other worker
};

/// Of a worker's pull `pull`, counted from 0, where each worker pushes at most `pushes` times.
inline AnswerNeeds answer_needs(const AlgorithmSpec& algorithm, int pull,
                                int pushes = std::numeric_limits<int>::max()) {
  const int clock = std::min(pushes, pull * algorithm.pull_every / algorithm.push_every);
  const bool is_bound = algorithm.mode == ServerMode::kStaleSynchronous;
  return {.questions = algorithm.asks() ? pull + 1 : 0,
          .own = clock,
          .others = is_bound ? clock - algorithm.staleness : 0};
}

/// The same as messages, by whom they are from and their tag: how many must have come before a
/// server of `scenario` sends `worker` its message `number`, counted from 0, of `tag`. Empty: it
/// does not hold it back.
inline std::map<std::pair<int, int>, int> messages_before_answer(const Scenario& scenario,
                                                                 int worker, int tag, int number) {
  const AlgorithmSpec& algorithm = scenario.algorithm;
  if (algorithm.name != "parameter_server" || algorithm.mode == ServerMode::kSynchronous) return {};
  const AnswerNeeds needs = answer_needs(algorithm, number);
  const int push = tag + push_tag(0) - pull_tag(0);
  std::map<std::pair<int, int>, int> before;
  for (int other = 0; other < scenario.workers; ++other)
    before[{other, push}] = other == worker ? needs.own : needs.others;
  before[{worker, kAskTag}] = needs.questions;
  std::erase_if(before, [](const auto& entry) { return entry.second <= 0; });
  return before;
}

}  // namespace tandem
