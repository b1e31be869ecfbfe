#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/comm/buffer.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// The part of the flat arenas that a rule updates: `elements` of each. `gradient` times `scale` is
/// the mean gradient; `state` has the rule's `states` arrays, zero before the first step.
struct UpdateSlice {
  float* weights = nullptr;
  const float* gradient = nullptr;
  std::array<float*, 2> state = {};
  std::size_t elements = 0;
  float scale = 1;
  float trust_ratio = 1;  ///< of the tensor that the slice is of, for rules with a direction
};

/// The how-manieth step this is, counted from 1, and its learning rate.
struct UpdateStep {
  int number;
  double learning_rate;
};

/// A run of an optimizer's elements that are of one tensor.
struct TensorPart {
  std::int64_t end;     ///< among the elements of the optimizer; it begins where the last one ends
  std::int64_t tensor;  ///< of the graph's, in the order of the arena
};

/// What a layer-wise rule knows of tensors, in views of kInt64.
struct TensorLengths {
  View parts;              ///< the optimizer's TensorParts, by `end`
  std::size_t offset = 0;  ///< of the update's first element among the optimizer's
  View sums;               ///< two a tensor: of the squares of its weights, and of its direction
};

/// A step of a rule over parts of equal size of whole arenas, which may have copies on a device.
struct ArenaUpdate {
  const OptimizerSpec& spec;
  UpdateStep step;
  View weights;               ///< what messages and networks have
  View whole;                 ///< float32: the same, or where those have 16 bits the master weights
  View gradient;              ///< of the dtype of `weights`
  std::array<View, 2> state;  ///< the rule's `states` of them
  float scale;                ///< as of a slice
  TensorLengths lengths;      ///< of layer-wise rules
};

/// How an optimizer changes weights: element by element, so that the same bits come out however the
/// arenas are cut. A rule with a `direction` is layer-wise: that goes over all slices first, renews
/// their state, and writes what the weights will move along; apply() then moves them by the trust
/// ratio that the lengths of a whole tensor's weights and direction make, and reads no gradient.
struct UpdateRule {
  std::string name;
  int states;    ///< float32 numbers of state a parameter, at most 2
  double flops;  ///< a parameter
  void (*apply)(const OptimizerSpec&, const UpdateStep&, const UpdateSlice&);
  void (*direction)(const OptimizerSpec&, const UpdateStep&, const UpdateSlice&,
                    float* direction) = nullptr;
};

/// The names that scenarios give optimizers.
std::vector<std::string> optimizer_names();

/// The rule of the optimizer; SGD has state only with momentum.
UpdateRule update_rule(const OptimizerSpec& spec);

}  // namespace tandem
