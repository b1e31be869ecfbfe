#pragma once

#include "core/comm/worker.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Stochastic gradient descent with momentum and weight decay, as torch.optim.SGD defines it:
///   g' = scale * g + weight_decay * w,   v = momentum * v + g',   w -= learning_rate * v
/// (Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML
/// 2013, in PyTorch's form). All state lies in one flat arena beside parameters and gradients;
/// where momentum is 0 there is none.
class Optimizer {
 public:
  /// Allocates its state through `worker` for `elements` parameters.
  Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements);

  /// Updates parameters [offset, offset + count) of the arenas as one kernel of the worker; `scale`
  /// turns a summed gradient into an average.
  void step(Worker& worker, View parameters, View gradients, std::size_t offset, std::size_t count,
            float scale);

 private:
  OptimizerSpec spec_;
  Buffer velocity_;
};

}  // namespace tandem
