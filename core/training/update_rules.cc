#include "core/training/update_rules.h"

#include <cmath>
#include <stdexcept>

namespace tandem {
namespace {

// Constants are rounded to float once, from double arithmetic, as torch.optim does. The loops have
// nothing but IEEE additions, multiplications, divisions and roots, which round alike in vectors
// and alone.

void gradient_descent(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  const auto rate = static_cast<float>(step.learning_rate);
  const auto decay = static_cast<float>(spec.weight_decay);
  for (std::size_t i = 0; i < slice.elements; ++i) {
    const float w = slice.weights[i];
    slice.weights[i] = w - rate * (slice.scale * slice.gradient[i] + decay * w);
  }
}

// Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML 2013,
// in PyTorch's form: v = momentum * v + g, w -= rate * v, or with Nesterov's momentum
// w -= rate * (g + momentum * v).
void momentum_descent(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  const auto rate = static_cast<float>(step.learning_rate);
  const auto decay = static_cast<float>(spec.weight_decay);
  const auto momentum = static_cast<float>(spec.momentum);
  float* velocity = slice.state[0];
  for (std::size_t i = 0; i < slice.elements; ++i) {
    const float w = slice.weights[i];
    const float g = slice.scale * slice.gradient[i] + decay * w;
    const float v = momentum * velocity[i] + g;
    velocity[i] = v;
    slice.weights[i] = w - rate * (spec.nesterov ? g + momentum * v : v);
  }
}

/// What Adam's loop multiplies by in step t: w -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 -
/// beta2^t) + epsilon).
struct AdamFactors {
  AdamFactors(const OptimizerSpec& spec, const UpdateStep& step)
      : beta1(static_cast<float>(spec.beta1)),
        beta2(static_cast<float>(spec.beta2)),
        rest1(static_cast<float>(1 - spec.beta1)),
        rest2(static_cast<float>(1 - spec.beta2)),
        correction(static_cast<float>(1 - std::pow(spec.beta1, step.number))),
        rate(static_cast<float>(step.learning_rate / (1 - std::pow(spec.beta1, step.number)))),
        root_correction(static_cast<float>(std::sqrt(1 - std::pow(spec.beta2, step.number)))),
        epsilon(static_cast<float>(spec.epsilon)) {}

  float beta1, beta2, rest1, rest2, correction, rate, root_correction, epsilon;
};

// Of one element, from gradient g.
inline void renew_moments(const AdamFactors& k, float g, float& m, float& v) {
  m = k.beta1 * m + k.rest1 * g;
  v = k.beta2 * v + k.rest2 * g * g;
}

// One element: renews the moments from gradient g and returns the weight that w becomes.
inline float adam_element(const AdamFactors& k, float w, float g, float& m, float& v) {
  renew_moments(k, g, m, v);
  return w - k.rate * m / (std::sqrt(v) / k.root_correction + k.epsilon);
}

// Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015; weight decay joins the
// gradient.
void adam(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  const AdamFactors factors(spec, step);
  const auto decay = static_cast<float>(spec.weight_decay);
  for (std::size_t i = 0; i < slice.elements; ++i) {
    const float w = slice.weights[i];
    const float g = slice.scale * slice.gradient[i] + decay * w;
    slice.weights[i] = adam_element(factors, w, g, slice.state[0][i], slice.state[1][i]);
  }
}

// Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019: weights shrink by
// themselves, beside Adam's step.
void adamw(const OptimizerSpec& spec, const UpdateStep& step, const UpdateSlice& slice) {
  const AdamFactors factors(spec, step);
  const auto keep = static_cast<float>(1 - step.learning_rate * spec.weight_decay);
  for (std::size_t i = 0; i < slice.elements; ++i) {
    const float w = keep * slice.weights[i];
    const float g = slice.scale * slice.gradient[i];
    slice.weights[i] = adam_element(factors, w, g, slice.state[0][i], slice.state[1][i]);
  }
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
    renew_moments(factors, slice.scale * slice.gradient[i], m, v);
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
  static const std::vector<UpdateRule> kRules = {{"sgd", 1, 6, momentum_descent},
                                                 {"adam", 2, 14, adam},
                                                 {"adamw", 2, 13, adamw},
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
  if (spec.name == "sgd" && spec.momentum == 0) return {"sgd", 0, 6, gradient_descent};
  for (const UpdateRule& rule : rules()) {
    if (rule.name == spec.name) return rule;
  }
  throw std::logic_error("no optimizer " + spec.name);
}

}  // namespace tandem
