#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/strategies/strategy.h"
#include "core/training/experiment.h"

namespace tandem {

/// The training loop of one worker, the same in both worlds: with a network it trains, without one
/// it only says what would be computed and sent.
class Trainer {
 public:
  /// Both must outlive it.
  Trainer(const Experiment& experiment, Replica& replica);

  /// Trains for experiment.iterations. Returns rank 0's accuracy on the test set where there is
  /// data.
  std::optional<double> train();

 private:
  void run_iteration(int iteration);
  void load_batch(int iteration);
  void run_layer(int layer, Phase phase);
  double evaluate();

  const Experiment& experiment_;
  Replica& replica_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Network> network_;  ///< null where the run models sizes
  std::optional<Shard> shard_;        ///< likewise
  std::vector<float> images_;         ///< the batch being put together
  std::vector<std::int32_t> labels_;
};

}  // namespace tandem
