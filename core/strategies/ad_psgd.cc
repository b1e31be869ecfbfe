#include "core/strategies/ad_psgd.h"

#include <utility>

#include "core/base/random.h"
#include "core/comm/reactor.h"
#include "core/record/recorder.h"

namespace tandem {
namespace {

constexpr Tag kAsk = 0;
constexpr Tag kAnswer = 1;

bool is_active(int rank) {
  return rank % 2 == 0;
}

/// The passive neighbours that an active worker asks, one an iteration.
class Neighbours {
 public:
  Neighbours(const Scenario& scenario, int active)
      : passive_(scenario.workers / 2), random_(scenario.seed, kNeighbourStream + active) {}

  bool any() const { return passive_ > 0; }
  int next() {
    ++iteration_;
    return 2 * static_cast<int>(random_.below(passive_)) + 1;
  }
  /// The next one is that of this iteration, which must not be over.
  void go_on_from(int iteration) {
    while (any() && iteration_ < iteration) next();
  }

 private:
  static constexpr std::uint64_t kNeighbourStream = std::uint64_t{1} << 40U;

  std::uint64_t passive_;
  RandomStream random_;
  int iteration_ = 0;
};

class Active final : public Strategy {
 public:
  explicit Active(Replica& replica)
      : replica_(replica),
        theirs_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)),
        neighbours_(replica.scenario, replica.worker.group().rank) {}

  void begin_leg(const Leg& leg) override { neighbours_.go_on_from(leg.first); }

  void begin_iteration() override {
    if (!neighbours_.any()) return;
    const int neighbour = neighbours_.next();
    exchange_ = {replica_.worker.send(neighbour, kAsk, replica_.parameters.view()),
                 replica_.worker.receive(neighbour, kAnswer, theirs_.view())};
  }

  void gradient_ready(int) override {}

  void end_iteration() override {
    if (neighbours_.any()) {
      wait_all(replica_.worker, exchange_);
      average_with(replica_.worker, replica_.parameters.view(), theirs_.view());
    }
    replica_.worker.record().staleness(neighbours_.any() ? 1 : 0);
    replica_.step_alone();
  }

  // Slower workers may take long; those that they ask notice where one is stuck.
  void finish() override {
    replica_.worker.set_patience(kForever);
    average_over_workers(replica_, replica_.parameters.view());
  }

  void visit_state(StateVisitor& visitor) override { replica_.visit_state(visitor, Holder::kOwn); }

 private:
  Replica& replica_;
  Buffer theirs_;
  Neighbours neighbours_;
  std::array<Handle, 2> exchange_;
};

/// The gradient is computed at the replica's weights while the model that neighbours average with
/// may change.
class Passive final : public Strategy {
 public:
  explicit Passive(Replica& replica)
      : replica_(replica),
        model_(allocate()),
        theirs_(allocate()),
        answer_(allocate()),
        reactor_(replica.worker) {}

  void begin_leg(const Leg& leg) override {
    questions_ = questions_in(leg);
    copy_weights(replica_.worker, model_.view(), replica_.parameters.view());
    listen();
  }

  void poll() override { reactor_.poll(); }

  void gradient_ready(int) override {}

  void end_iteration() override {
    copy_weights(replica_.worker, replica_.parameters.view(), model_.view());
    replica_.worker.record().staleness(std::exchange(averagings_, 0));
    replica_.step_alone();
    copy_weights(replica_.worker, model_.view(), replica_.parameters.view());
  }

  // The next leg's gradient is computed at what its neighbours have made of the model meanwhile.
  void end_leg() override {
    reactor_.run();
    replica_.worker.wait(answered_);
    copy_weights(replica_.worker, replica_.parameters.view(), model_.view());
    averagings_ = 0;
  }

  void finish() override {
    replica_.worker.set_patience(kForever);
    average_over_workers(replica_, replica_.parameters.view());
  }

  void visit_state(StateVisitor& visitor) override { replica_.visit_state(visitor, Holder::kOwn); }

 private:
  Buffer allocate() {
    return replica_.worker.allocate(replica_.graph.parameter_elements(), DType::kFloat32);
  }

  /// How often all active workers together ask this one.
  int questions_in(const Leg& leg) {
    std::vector<Neighbours> all = std::exchange(neighbours_, {});
    if (all.empty()) {
      for (int rank = 0; rank < replica_.scenario.workers; ++rank)
        if (is_active(rank)) all.emplace_back(replica_.scenario, rank);
    }
    int questions = 0;
    for (Neighbours& neighbours : all) {
      neighbours.go_on_from(leg.first);
      for (int i = leg.first; i < leg.end; ++i)
        questions += neighbours.next() == replica_.worker.group().rank ? 1 : 0;
    }
    if (leg.rests) neighbours_ = std::move(all);  // else they are many for nothing
    return questions;
  }

  void listen() {
    if (questions_-- <= 0) return;
    reactor_.when(replica_.worker.receive(kAnyPeer, kAsk, theirs_.view()), [this](int neighbour) {
      answer(neighbour);
      listen();
    });
  }

  void answer(int neighbour) {
    Worker& worker = replica_.worker;
    worker.wait(answered_);  // the one before: its neighbour takes it at once
    copy_weights(worker, answer_.view(), model_.view());
    answered_ = worker.send(neighbour, kAnswer, answer_.view());
    average_with(worker, model_.view(), theirs_.view());
    ++averagings_;
  }

  Replica& replica_;
  Buffer model_;
  Buffer theirs_;
  Buffer answer_;
  Reactor reactor_;
  std::vector<Neighbours> neighbours_;  ///< of all active workers, where legs follow
  int questions_ = 0;                   ///< that are still to be listened for
  int averagings_ = 0;  ///< of the model since the weights that the gradient is computed at
  Handle answered_;
};

}  // namespace

std::unique_ptr<Strategy> make_ad_psgd(Replica& replica) {
  if (is_active(replica.worker.group().rank)) return std::make_unique<Active>(replica);
  return std::make_unique<Passive>(replica);
}

}  // namespace tandem
