#include "core/strategies/elastic_centre.h"

#include "core/comm/compute_over.h"
#include "core/comm/reactor.h"
#include "core/record/recorder.h"
#include "core/strategies/parameter_server/iteration_clock.h"
#include "core/strategies/parameter_server/shard.h"

namespace tandem {
namespace {

/// The centre, or a shard of it.
class CentreServer {
 public:
  CentreServer(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int iterations)
      : scenario_(scenario),
        shard_(scenario, graph, worker),
        reactor_(worker),
        exchanges_(rounds(scenario, iterations) * scenario.workers),
        states_(shard_.pieces(), State{.read = std::vector<int>(scenario.workers, 0)}),
        clock_(worker, iterations, static_cast<long>(exchanges_) * shard_.pieces()) {}

  Buffer run() {
    constexpr int kSlots = 2;  // one is worked on while the next comes in
    for (int slot = 0; slot < kSlots; ++slot) {
      slots_.push_back(shard_.allocate());
      for (int piece = 0; piece < shard_.pieces(); ++piece) await_weights(piece, slot);
    }
    reactor_.run();
    send_final();
    return shard_.take_weights();
  }

 private:
  /// Of one piece.
  struct State {
    int awaited = 0;        ///< exchanges begun or being waited for
    int version = 0;        ///< exchanges done
    std::vector<int> read;  ///< by worker: the version that its last exchange left
  };

  static int rounds(const Scenario& scenario, int iterations) {
    const int tau = scenario.algorithm.local_steps;
    return (iterations + tau - 1) / tau;
  }

  void await_weights(int piece, int slot) {
    if (states_[piece].awaited == exchanges_) return;
    ++states_[piece].awaited;
    const View weights = shard_.slice(slots_[slot], piece);
    reactor_.when(shard_.worker().receive(kAnyPeer, shard_.push_tag(piece), weights),
                  [=, this](int worker) {
                    draw_centre(piece, worker, weights);
                    reactor_.when(shard_.worker().send(worker, shard_.pull_tag(piece), weights),
                                  [=, this](int) { await_weights(piece, slot); });
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
    clock_.tick();
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
  int exchanges_;  ///< of all workers
  std::vector<State> states_;
  std::vector<Buffer> slots_;
  IterationClock clock_;
};

}  // namespace

Buffer serve_centre(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                    int iterations, Checkpoints&) {
  return CentreServer(scenario, graph, worker, iterations).run();
}

}  // namespace tandem
