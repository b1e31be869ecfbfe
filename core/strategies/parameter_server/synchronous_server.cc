#include "core/strategies/parameter_server/synchronous_server.h"

#include <algorithm>
#include <limits>

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/comm/turns.h"
#include "core/strategies/parameter_server/answer_needs.h"

namespace tandem {

SynchronousServer::SynchronousServer(const Scenario& scenario, const LayerGraph& graph,
                                     Worker& worker, int done)
    : Server(scenario, graph, worker, done,
             {.workers = scenario.workers,
              .priority = scenario.algorithm.priority,
              .copies = scenario.algorithm.backup_workers > 0}),
      needed_(scenario.workers - scenario.algorithm.backup_workers),
      abreast_(scenario.algorithm.priority && needed_ == scenario.workers),
      states_(shard_.pieces()),
      awaited_(scenario.workers, long{done} * shard_.pieces()),
      pushed_(awaited_) {
  for (int i = 0; i < scenario.workers; ++i) gradients_.push_back(shard_.allocate());
  for (State& state : states_) {
    state.version = done;
    state.pushed.assign(scenario.workers, done);
  }
}

void SynchronousServer::begin_leg(const Leg& leg) {
  leg_ = leg;
  expect_updates(leg, leg.iterations());
  for (const int worker : workers_) {
    await_pushes(worker);
    asked(worker);
  }
}

// Where a checkpoint came between, nobody has asked for the final weights yet.
void SynchronousServer::finish(const Leg& last) {
  if (!last.rests && last.iterations() > 0) return;
  for (const int worker : workers_) asked(worker);
}

bool SynchronousServer::may_answer(int piece, int, int pull) const {
  return states_[piece].version >= answer_needs(scenario_.algorithm, pull).iterations;
}

void SynchronousServer::await_pushes(int worker) {
  const int pieces = shard_.pieces();
  const long own = pushed_[worker] + (abreast_ ? std::min(kTurnsTogether, pieces) : pieces);
  const long all = static_cast<long>(pieces) * leg_.end;
  const long most = std::min({own, all, abreast_ ? furthest_behind() + kTurnsTogether : all});
  for (long& next = awaited_[worker]; next < most; ++next) {
    const int piece = static_cast<int>(next % pieces);
    // Its last gradient may still have to be added.
    if (states_[piece].version < next / pieces) return;
    await_push(piece, worker);
  }
}

long SynchronousServer::furthest_behind() const {
  constexpr long kNobody = std::numeric_limits<long>::max() / 2;
  return part_way_.empty() ? kNobody : part_way_.begin()->first;
}

void SynchronousServer::await_push(int piece, int worker) {
  const View gradient = shard_.slice(gradients_[worker], piece);
  reactor_.when(shard_.worker().receive(worker, shard_.push_tag(piece), gradient),
                [=, this](int) { arrived(piece, worker); });
}

// Whoever has pushed what it computed with the weights wants the next ones, and need not ask; at a
// checkpoint it wants them once that is over.
void SynchronousServer::arrived(int piece, int worker) {
  State& state = states_[piece];
  shard_.count_received(worker, piece, state.pushed[worker]);
  const bool is_due = state.pushed[worker]++ == state.version && state.gradients < needed_;
  if (is_due) {
    state.in_time.push_back(worker);
    state.gradients += shard_.worker().stands_for(worker);
  }
  count_push(worker);
  const bool goes_on = !leg_.rests || state.pushed[worker] < leg_.end;
  if (goes_on && scenario_.algorithm.pulls_early()) {
    asked(worker, piece);
  } else if (goes_on && has_pushed_all(worker)) {
    asked(worker);
  }
  // Adding takes time, which no worker's push that came with this one should have to wait out.
  if (is_due && state.gradients == needed_)
    reactor_.afterwards([=, this] { average_and_update(piece); });
}

void SynchronousServer::count_push(int worker) {
  const long before = furthest_behind();
  const auto is_part_way = [&] { return pushed_[worker] % shard_.pieces() != 0; };
  if (is_part_way()) {
    const auto here = part_way_.find(pushed_[worker]);
    if (--here->second == 0) part_way_.erase(here);
  }
  ++pushed_[worker];
  if (is_part_way()) ++part_way_[pushed_[worker]];
  await_pushes(worker);
  if (!abreast_ || furthest_behind() == before) return;
  for (const int other : workers_) await_pushes(other);
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
  for (const int worker : state.in_time) {
    const View addend = shard_.slice(gradients_[worker], piece);
    const int own = worker == state.in_time.front() ? 1 : 0;  // the sum itself
    const int addends = shard_.worker().stands_for(worker) - own;
    if (addends == 0) continue;
    const auto add_gradients = [=] { add(sum, addend); };
    compute_over(shard_.worker(), "add gradients", sum, 3, add_gradients, -1, addends);
  }
  update(piece, sum, 1.0F / static_cast<float>(needed_));
  ++state.version;
  state.in_time.clear();
  state.gradients = 0;
  for (const int worker : workers_) await_pushes(worker);
  updated(piece);
}

}  // namespace tandem
