#include "core/training/update_rules.h"

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

template <typename Rule>
void find_direction(Rule rule, UpdateSlice slice, float* direction) {
  for (std::size_t i = 0; i < slice.elements; ++i) {
    direction[i] = rule.direction(slice.weights[i], slice.scale * slice.gradient[i],
                                  slice.state[0][i], slice.state[1][i]);
  }
}

template <typename Rule>
void move_along(Rule rule, UpdateSlice slice) {
  for (std::size_t i = 0; i < slice.elements; ++i) {
    slice.weights[i] =
        rule(slice.weights[i], slice.state[0][i], slice.state[1][i], slice.trust_ratio);
  }
}

void layer_wise_direction(const OptimizerSpec& spec, const UpdateStep& step,
                          const UpdateSlice& slice, float* direction) {
  with_layer_wise_rule(spec, step,
                       [&](const auto& rule) { find_direction(rule, slice, direction); });
}

void apply_layer_wise(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  with_layer_wise_rule(spec, step, [&](const auto& rule) { move_along(rule, slice); });
}

const std::vector<UpdateRule>& rules() {
  static const std::vector<UpdateRule> kRules = {
      {"sgd", 1, 6, apply_elementwise},
      {"adam", 2, 14, apply_elementwise},
      {"adamw", 2, 13, apply_elementwise},
      {"lamb", 2, 13, apply_layer_wise, layer_wise_direction}};
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
