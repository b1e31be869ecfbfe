#include "core/strategies/ad_psgd.h"

#include <utility>

#include "core/base/random.h"
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
  int next() { return 2 * static_cast<int>(random_.below(passive_)) + 1; }

 private:
  static constexpr std::uint64_t kNeighbourStream = std::uint64_t{1} << 40U;

  std::uint64_t passive_;
  RandomStream random_;
};

/// How often all active workers together ask `passive`.
int questions_to(const Scenario& scenario, int passive, int iterations) {
  int questions = 0;
  for (int rank = 0; rank < scenario.workers; ++rank) {
    if (!is_active(rank)) continue;
    Neighbours neighbours(scenario, rank);
    for (int i = 0; i < iterations; ++i) questions += neighbours.next() == passive ? 1 : 0;
  }
  return questions;
}

class Active final : public Strategy {
 public:
  explicit Active(Replica& replica)
      : replica_(replica),
        theirs_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)),
        neighbours_(replica.scenario, replica.worker.group().rank) {}

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
  Passive(Replica& replica, int iterations)
      : replica_(replica),
        model_(allocate()),
        theirs_(allocate()),
        answer_(allocate()),
        questions_(questions_to(replica.scenario, replica.worker.group().rank, iterations)) {
    copy_weights(replica.worker, model_.view(), replica.parameters.view());
    listen();
  }

  void poll() override { answer_questions(0); }

  void gradient_ready(int) override {}

  void end_iteration() override {
    copy_weights(replica_.worker, replica_.parameters.view(), model_.view());
    replica_.worker.record().staleness(std::exchange(averagings_, 0));
    replica_.step_alone();
    copy_weights(replica_.worker, model_.view(), replica_.parameters.view());
  }

  void finish() override {
    answer_questions(kForever);
    replica_.worker.wait(answered_);
    replica_.worker.set_patience(kForever);
    average_over_workers(replica_, model_.view());
    copy_weights(replica_.worker, replica_.parameters.view(), model_.view());
  }

 private:
  Buffer allocate() {
    return replica_.worker.allocate(replica_.graph.parameter_elements(), DType::kFloat32);
  }

  void listen() {
    if (questions_-- > 0) question_ = replica_.worker.receive(kAnyPeer, kAsk, theirs_.view());
  }

  void answer_questions(Seconds patience) {
    while (!question_.empty()) {
      const auto asked = replica_.worker.wait_any(std::span(&question_, 1), patience);
      if (!asked) return;
      answer(asked->peer);
      listen();
    }
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
  int questions_;       ///< that are still to be listened for
  int averagings_ = 0;  ///< of the model since the weights that the gradient is computed at
  Handle question_;
  Handle answered_;
};

}  // namespace

std::unique_ptr<Strategy> make_ad_psgd(Replica& replica, int iterations) {
  if (is_active(replica.worker.group().rank)) return std::make_unique<Active>(replica);
  return std::make_unique<Passive>(replica, iterations);
}

}  // namespace tandem
