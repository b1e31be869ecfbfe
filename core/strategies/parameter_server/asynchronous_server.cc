#include "core/strategies/parameter_server/asynchronous_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/recorder.h"
#include "core/strategies/parameter_server/answer_needs.h"

namespace tandem {
namespace {

constexpr int kSlots = 2;

/// How often something is done that is done every `period` iterations.
int times(int iterations, int period) {
  return (iterations + period - 1) / period;
}

}  // namespace

AsynchronousServer::AsynchronousServer(const Scenario& scenario, const LayerGraph& graph,
                                       Worker& worker, int done)
    : Server(scenario, graph, worker, times(done, scenario.algorithm.pull_every),
             {.workers = scenario.workers,
              .priority = scenario.algorithm.priority,
              .copies = true,
              .on_leave =
                  [this](int worker, int piece) {
                    states_[piece].read[worker] = states_[piece].version;
                  }}),
      pushes_(done / scenario.algorithm.push_every),
      states_(shard_.pieces()),
      arriving_(scenario.workers) {
  for (int slot = 0; slot < kSlots; ++slot) slots_.push_back(shard_.allocate());
  for (State& state : states_) {
    state.awaited = pushes_ * scenario.workers;
    state.applied.assign(scenario.workers, pushes_);
    state.read.assign(scenario.workers, 0);
  }
}

// What workers have accrued at a checkpoint they push later, but at the training's end.
void AsynchronousServer::begin_leg(const Leg& leg) {
  const AlgorithmSpec& algorithm = scenario_.algorithm;
  const int pushes =
      leg.rests ? leg.end / algorithm.push_every : times(leg.end, algorithm.push_every);
  expect_updates(leg, long{pushes - pushes_} * scenario_.workers);
  questions_left_ = scenario_.workers *
                    (times(leg.end, algorithm.pull_every) - times(leg.first, algorithm.pull_every));
  for (int worker = 0; worker < scenario_.workers; ++worker) {
    if (algorithm.asks()) {
      await_question();
    } else {
      asked(worker);
    }
  }
  await_pushes(pushes);
}

void AsynchronousServer::finish(const Leg& last) {
  if (last.rests || last.iterations() == 0) {
    await_pushes(times(last.end, scenario_.algorithm.push_every));
    reactor_.run();
  }
  // The final weights, which are the same for all.
  for (int worker = 0; worker < scenario_.workers; ++worker) asked(worker);
}

void AsynchronousServer::visit_past(StateVisitor& visitor) {
  for (int piece = 0; piece < shard_.pieces(); ++piece) {
    State& state = states_[piece];
    visit_value(visitor, fmt::format("server.version.{}", piece), state.version);
    visitor.own(fmt::format("server.read.{}", piece),
                std::as_writable_bytes(std::span(state.read)));
  }
}

bool AsynchronousServer::may_answer(int piece, int worker, int pull) const {
  const State& state = states_[piece];
  const AnswerNeeds needs = answer_needs(scenario_.algorithm, pull, pushes_);
  return state.applied[worker] >= needs.own &&
         *std::ranges::min_element(state.applied) >= needs.others;
}

void AsynchronousServer::await_question() {
  if (questions_left_-- <= 0) return;
  reactor_.when(shard_.worker().receive(kAnyPeer, kAskTag, View{}), [this](int worker) {
    await_question();
    asked(worker);
  });
}

void AsynchronousServer::await_pushes(int pushes) {
  pushes_ = pushes;
  for (int piece = 0; piece < shard_.pieces(); ++piece) {
    for (int slot = 0; slot < kSlots; ++slot) await_push(piece, slot);
  }
}

void AsynchronousServer::await_push(int piece, int slot) {
  if (states_[piece].awaited == pushes_ * scenario_.workers) return;
  ++states_[piece].awaited;
  const View gradient = shard_.slice(slots_[slot], piece);
  reactor_.when(shard_.worker().receive(kAnyPeer, shard_.push_tag(piece), gradient),
                [=, this](int worker) {
                  apply(piece, worker, gradient);
                  await_push(piece, slot);
                });
}

void AsynchronousServer::apply(int piece, int worker, View gradient) {
  State& state = states_[piece];
  const int iterations = (state.applied[worker] + 1) * scenario_.algorithm.push_every;
  shard_.count_received(worker, piece, iterations - 1);  // what has accrued at the end comes after
  update(piece, gradient, 1);
  note_staleness(piece, worker);
  ++state.version;
  const bool last = ++state.applied[worker] == pushes_;
  if (scenario_.algorithm.pulls_early() && !last) asked(worker, piece);
  updated(piece);
}

// A push is as stale as the stalest of its pieces: recorded once all have been applied.
void AsynchronousServer::note_staleness(int piece, int worker) {
  Push& push = arriving_[worker];
  push.staleness = std::max(push.staleness, states_[piece].version - states_[piece].read[worker]);
  if (++push.parts < shard_.pieces()) return;
  shard_.worker().record().staleness(push.staleness);
  push = {};
}

}  // namespace tandem
