#include "core/strategies/elastic_centre.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "core/comm/compute_over.h"
#include "core/comm/reactor.h"
#include "core/record/recorder.h"
#include "core/strategies/parameter_server/iteration_clock.h"
#include "core/strategies/parameter_server/legs.h"
#include "core/strategies/parameter_server/shard.h"

namespace tandem {
namespace {

/// The centre, or a shard of it.
class CentreServer final : public LegServer {
 public:
  CentreServer(const Scenario& scenario, const LayerGraph& graph, Worker& worker)
      : scenario_(scenario),
        shard_(scenario, graph, worker),
        reactor_(worker),
        states_(shard_.pieces(), State{.read = std::vector<int>(scenario.workers, 0)}) {
    for (Buffer& slot : slots_) slot = shard_.allocate();
  }

  Buffer run(Checkpoints& checkpoints, int iterations) {
    serve_legs(*this, shard_.worker(), reactor_, checkpoints, iterations);
    send_final();
    return shard_.take_weights();
  }

  void begin_leg(const Leg& leg) override {
    const int rounds = rounds_before(leg.end) - rounds_before(leg.first);
    const int exchanges = rounds * scenario_.workers;
    clock_.emplace(shard_.worker(), leg.iterations(), long{exchanges} * shard_.pieces());
    for (State& state : states_) {
      state.left = exchanges;
      state.begun.assign(scenario_.workers, rounds_before(leg.first));
    }
    for (const Buffer& slot : slots_) {
      for (int piece = 0; piece < shard_.pieces(); ++piece) await_weights(piece, slot);
    }
  }

  void visit_state(StateVisitor& visitor) override {
    for (int piece = 0; piece < shard_.pieces(); ++piece)
      visitor.arena("centre", shard_.weights(piece), {Holder::kShard, {shard_.place(piece)}});
  }

  void visit_past(StateVisitor& visitor) override {
    for (int piece = 0; piece < shard_.pieces(); ++piece) {
      visit_value(visitor, fmt::format("centre.version.{}", piece), states_[piece].version);
      visitor.own(fmt::format("centre.read.{}", piece),
                  std::as_writable_bytes(std::span(states_[piece].read)));
    }
  }

 private:
  /// Of one piece.
  struct State {
    int left = 0;                 ///< exchanges of the leg that are not yet waited for
    int version = 0;              ///< exchanges done
    std::vector<int> read;        ///< by worker: the version that its last exchange left
    std::vector<int> begun = {};  ///< by worker: its exchanges
  };

  int rounds_before(int iteration) const {
    const int tau = scenario_.algorithm.local_steps;
    return (iteration + tau - 1) / tau;
  }

  void await_weights(int piece, const Buffer& slot) {
    if (states_[piece].left == 0) return;
    --states_[piece].left;
    const View weights = shard_.slice(slot, piece);
    reactor_.when(shard_.worker().receive(kAnyPeer, shard_.push_tag(piece), weights),
                  [=, &slot, this](int worker) {
                    const int exchange = states_[piece].begun[worker]++;
                    const int iteration = exchange * scenario_.algorithm.local_steps;
                    shard_.count_received(worker, piece, iteration);
                    draw_centre(piece, worker, weights);
                    reactor_.when(shard_.worker().send(worker, shard_.pull_tag(piece), weights),
                                  [=, &slot, this](int) {
                                    shard_.count_sent(worker, piece, iteration);
                                    await_weights(piece, slot);
                                  });
                    clock_->tick();  // its answer is a part of the exchange
                  });
  }

  // Leaves the centre as it was before in place of the weights.
  void draw_centre(int piece, int worker, View weights) {
    const View centre = shard_.weights(piece);
    const auto alpha = static_cast<float>(scenario_.elasticity());
    compute_over(shard_.worker(), "draw centre", weights, 4, [=] {
      const auto x = weights.floats();
      const auto c = centre.floats();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float before = c[i];
        c[i] += alpha * (x[i] - before);
        x[i] = before;
      }
    });
    State& state = states_[piece];
    if (piece == 0) shard_.worker().record().staleness(state.version - state.read[worker]);
    state.read[worker] = ++state.version;
  }

  void send_final() {
    for (int worker = 0; worker < scenario_.workers; ++worker) {
      for (int piece = shard_.pieces(); piece-- > 0;) {
        reactor_.when(shard_.worker().send(worker, shard_.pull_tag(piece), shard_.weights(piece)),
                      [](int) {});
      }
    }
    reactor_.run();
  }

  const Scenario& scenario_;
  ParameterShard shard_;
  Reactor reactor_;
  std::vector<State> states_;
  std::array<Buffer, 2> slots_;          ///< one is worked on while the next comes in
  std::optional<IterationClock> clock_;  ///< of the leg
};

}  // namespace

Buffer serve_centre(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                    int iterations, Checkpoints& checkpoints) {
  return CentreServer(scenario, graph, worker).run(checkpoints, iterations);
}

}  // namespace tandem
