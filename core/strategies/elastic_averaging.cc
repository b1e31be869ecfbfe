#include "core/strategies/elastic_averaging.h"

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

ElasticAveraging::ElasticAveraging(Replica& replica)
    : replica_(replica),
      algorithm_(replica.scenario.algorithm),
      pieces_(cut_into_pieces(replica.graph, algorithm_)),
      centre_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)) {}

void ElasticAveraging::begin_iteration() {
  if (iteration_ % algorithm_.local_steps != 0) return;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    exchange_.push_back(replica_.worker.send(replica_.scenario.workers + pieces_[i].server,
                                             push_tag(i), slice(replica_.parameters, pieces_[i])));
  }
  receive(centre_);
  if (!algorithm_.overlap) wait_all(replica_.worker, exchange_);
}

void ElasticAveraging::receive(const Buffer& into) {
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    exchange_.push_back(replica_.worker.receive(replica_.scenario.workers + pieces_[i].server,
                                                pull_tag(i), slice(into, pieces_[i])));
  }
}

void ElasticAveraging::end_iteration() {
  if (iteration_++ % algorithm_.local_steps == 0) {
    wait_all(replica_.worker, exchange_);
    exchange_.clear();
    const View weights = replica_.parameters.view();
    const View centre = centre_.view();
    const auto alpha = static_cast<float>(replica_.scenario.elasticity());
    compute_over(replica_.worker, "draw to centre", weights, 3, [=] {
      const auto x = weights.floats();
      const auto c = centre.floats();
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= alpha * (x[i] - c[i]);
    });
  }
  replica_.update(0, replica_.graph.parameter_elements(), 1);
}

void ElasticAveraging::finish() {
  receive(replica_.parameters);
  // Slower workers may take long; the servers, who wait for them, notice where one is stuck.
  replica_.worker.set_patience(kForever);
  wait_all(replica_.worker, exchange_);
}

Buffer serve_centre(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                    int iterations) {
  return CentreServer(scenario, graph, worker, iterations).run();
}

}  // namespace tandem
