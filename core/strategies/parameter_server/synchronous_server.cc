#include "core/strategies/parameter_server/synchronous_server.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/comm/turns.h"

namespace tandem {

SynchronousServer::SynchronousServer(const Scenario& scenario, const LayerGraph& graph,
                                     Worker& worker, int iterations)
    : Server(scenario, graph, worker,
             {.iterations = iterations,
              .updates = iterations,
              .answers = {.workers = scenario.workers,
                          .priority = scenario.algorithm.priority,
                          .copies = scenario.algorithm.backup_workers > 0}}),
      needed_(scenario.workers - scenario.algorithm.backup_workers),
      ahead_(scenario.algorithm.priority && needed_ == scenario.workers
                 ? std::min(kTurnsTogether, shard_.pieces())
                 : shard_.pieces()),
      states_(shard_.pieces()) {
  for (int i = 0; i < scenario.workers; ++i) gradients_.push_back(shard_.allocate());
  for (State& state : states_) {
    state.pushed.assign(scenario.workers, 0);
    state.idle.resize(scenario.workers);
    std::iota(state.idle.begin(), state.idle.end(), 0);
  }
}

Buffer SynchronousServer::run() {
  await_pushes();
  for (int worker = 0; worker < scenario_.workers; ++worker) asked(worker);
  reactor_.run();
  return shard_.take_weights();
}

bool SynchronousServer::may_answer(int piece, int, int pull) const {
  return states_[piece].version >= pull;
}

void SynchronousServer::await_pushes() {
  for (; awaited_ < updated_ + ahead_; ++awaited_) {
    const int piece = static_cast<int>(awaited_ % shard_.pieces());
    State& state = states_[piece];
    if (state.version < awaited_ / shard_.pieces()) return;
    for (const int worker : std::exchange(state.idle, {})) await_push(piece, worker);
  }
}

void SynchronousServer::await_push(int piece, int worker) {
  if (states_[piece].pushed[worker] == iterations_) return;
  const View gradient = shard_.slice(gradients_[worker], piece);
  reactor_.when(shard_.worker().receive(worker, shard_.push_tag(piece), gradient),
                [=, this](int) { arrived(piece, worker); });
}

// Whoever has pushed what it computed with the weights wants the next ones, and need not ask.
void SynchronousServer::arrived(int piece, int worker) {
  State& state = states_[piece];
  const bool late = state.pushed[worker]++ < state.version;
  if (late) {
    await_push(piece, worker);
  } else {
    state.in_time.push_back(worker);
  }
  if (scenario_.algorithm.pulls_early()) {
    asked(worker, piece);
  } else if (has_pushed_all(worker)) {
    asked(worker);
  }
  if (static_cast<int>(state.in_time.size()) == needed_) average_and_update(piece);
}

bool SynchronousServer::has_pushed_all(int worker) const {
  return std::ranges::all_of(states_, [&](const State& state) {
    return state.pushed[worker] == states_[0].pushed[worker];
  });
}

void SynchronousServer::average_and_update(int piece) {
  State& state = states_[piece];
  std::ranges::sort(state.in_time);
  const View sum = shard_.slice(gradients_[state.in_time.front()], piece);
  for (auto worker = state.in_time.begin() + 1; worker != state.in_time.end(); ++worker) {
    const View addend = shard_.slice(gradients_[*worker], piece);
    compute_over(shard_.worker(), "add gradients", sum, 3, [=] { add(sum, addend); });
  }
  update(piece, sum, 1.0F / static_cast<float>(needed_));
  ++state.version;
  ++updated_;
  state.idle = std::exchange(state.in_time, {});
  await_pushes();
  updated(piece);
}

}  // namespace tandem
