#include "core/training/update_rules.h"

#include <cmath>
#include <stdexcept>

#include "core/training/update_elements.h"

namespace tandem {
namespace {

/// The loop has nothing but IEEE additions, multiplications, divisions and roots, which round alike
/// in vectors and alone. By value, so that no number that it writes could be one of the rule's.
template <typename Rule>
void apply(Rule rule, UpdateSlice slice) {
  std::array<float, 2> none{};
  for (std::size_t i = 0; i < slice.elements; ++i) {
    float& first = Rule::kStates > 0 ? slice.state[0][i] : none[0];
    float& second = Rule::kStates > 1 ? slice.state[1][i] : none[1];
    slice.weights[i] = rule(slice.weights[i], slice.scale * slice.gradient[i], first, second);
  }
}

/// Of all that are not layer-wise.
void apply_elementwise(const OptimizerSpec& spec, const UpdateStep& step,
                       const UpdateSlice& slice) {
  with_rule(spec, step, [&](const auto& rule) { apply(rule, slice); });
}

// What weight w moves along: Adam's step, with the corrections of both moments, and weight decay.
inline float lamb_element(const AdamFactors& k, float decay, float w, float m, float v) {
  return m / k.correction / (std::sqrt(v) / k.root_correction + k.epsilon) + decay * w;
}

// You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", ICLR 2020,
// algorithm 2, with phi the identity.
void lamb_direction(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice,
                    float* direction) {
  const AdamFactors factors(spec, step);
  const auto decay = static_cast<float>(spec.weight_decay);
  for (std::size_t i = 0; i < slice.elements; ++i) {
    float& m = slice.state[0][i];
    float& v = slice.state[1][i];
    factors.renew_moments(slice.scale * slice.gradient[i], m, v);
    direction[i] = lamb_element(factors, decay, slice.weights[i], m, v);
  }
}

void lamb(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  const AdamFactors factors(spec, step);
  const auto decay = static_cast<float>(spec.weight_decay);
  const float rate = static_cast<float>(step.learning_rate) * slice.trust_ratio;
  for (std::size_t i = 0; i < slice.elements; ++i) {
    const float w = slice.weights[i];
    slice.weights[i] =
        w - rate * lamb_element(factors, decay, w, slice.state[0][i], slice.state[1][i]);
  }
}

const std::vector<UpdateRule>& rules() {
  static const std::vector<UpdateRule> kRules = {{"sgd", 1, 6, apply_elementwise},
                                                 {"adam", 2, 14, apply_elementwise},
                                                 {"adamw", 2, 13, apply_elementwise},
                                                 {"lamb", 2, 13, lamb, lamb_direction}};
  return kRules;
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const UpdateRule& rule : rules()) names.push_back(rule.name);
  return names;
}

UpdateRule update_rule(const OptimizerSpec& spec) {
  if (spec.name == "sgd" && spec.momentum == 0) return {"sgd", 0, 6, apply_elementwise};
  for (const UpdateRule& rule : rules()) {
    if (rule.name == spec.name) return rule;
  }
  throw std::logic_error("no optimizer " + spec.name);
}

}  // namespace tandem
