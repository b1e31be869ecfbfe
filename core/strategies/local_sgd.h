#pragma once

#include "core/strategies/weight_average.h"
#include "core/training/optimizer.h"

namespace tandem {

/// Local SGD, or federated averaging with equal shares of the data (McMahan et al.,
/// "Communication-efficient learning of deep networks from decentralized data", AISTATS 2017;
/// Stich, "Local SGD converges fast and communicates little", ICLR 2019): workers step alone, and
/// after every `local_steps` iterations average their weights over all workers. With `outer` the
/// way back from their average is a gradient, by which an outer optimizer with Nesterov's momentum
/// steps from the weights that they last agreed on (DiLoCo: Douillard et al., "DiLoCo: distributed
/// low-communication training of language models", 2023, Algorithm 1). The inner optimizer keeps
/// its state. Invariant: all workers hold the same weights, bit for bit, after each averaging,
/// which ends the training too.
class LocalSgd final : public Strategy {
 public:
  explicit LocalSgd(Replica& replica);

  void gradient_ready(int) override {}
  void end_iteration() override;
  void finish() override;
  void visit_state(StateVisitor& visitor) override;

 private:
  void synchronize();
  void outer_step(double learning_rate);

  Replica& replica_;
  int steps_ = 0;  ///< since the last averaging
  Buffer agreed_;  ///< the weights then; with an outer optimizer only
  std::optional<Optimizer> outer_;
};

}  // namespace tandem
