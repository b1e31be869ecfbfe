#pragma once

#include <algorithm>
#include <limits>

#include "core/scenario/scenario.h"

namespace tandem {

/// What a server must have of a piece before it answers a pull of it.
struct AnswerNeeds {
  int questions = 0;    ///< of the worker
  int own = 0;          ///< pushes of the worker
  int others = 0;       ///< pushes of each other worker
  int iterations = 0;   ///< whose gradients were added up
  bool of_all = false;  ///< the worker's pushes of all other pieces that the server has too
};

/// Of a worker's pull `pull`, counted from 0, where each worker pushes at most `pushes` times.
inline AnswerNeeds answer_needs(const AlgorithmSpec& algorithm, int pull,
                                int pushes = std::numeric_limits<int>::max()) {
  if (algorithm.mode == ServerMode::kSynchronous)
    return {.own = pull, .iterations = pull, .of_all = !algorithm.pulls_early()};
  const int clock = std::min(pushes, pull * algorithm.pull_every / algorithm.push_every);
  const bool is_bound = algorithm.mode == ServerMode::kStaleSynchronous;
  return {.questions = algorithm.asks() ? pull + 1 : 0,
          .own = clock,
          .others = is_bound ? clock - algorithm.staleness : 0};
}

}  // namespace tandem
