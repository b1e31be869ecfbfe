#pragma once

#include <cmath>

#include "core/scenario/scenario.h"
#include "core/training/update_rules.h"

namespace tandem {

// What rules do to one element: called with its weight w, mean gradient g and states, they renew
// the states and return the new weight. A GPU calls the very same functions; where no operation is
// fused with another, the bits are the same there. Templates, since not every compiler takes a root
// for a constant expression.
//
// Constants are rounded to float once, from double arithmetic, as torch.optim does.

struct GradientDescent {
  static constexpr int kStates = 0;
  GradientDescent(const OptimizerSpec& spec, const UpdateStep& step)
      : rate(static_cast<float>(step.learning_rate)),
        decay(static_cast<float>(spec.weight_decay)) {}

  template <typename State>
  constexpr float operator()(float w, float g, State& /*first*/, State& /*second*/) const {
    return w - rate * (g + decay * w);
  }

  float rate, decay;
};

/// Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML
/// 2013, in PyTorch's form: v = momentum * v + g, w -= rate * v, or with Nesterov's momentum w -=
/// rate * (g + momentum * v).
struct MomentumDescent {
  static constexpr int kStates = 1;
  MomentumDescent(const OptimizerSpec& spec, const UpdateStep& step)
      : rate(static_cast<float>(step.learning_rate)),
        decay(static_cast<float>(spec.weight_decay)),
        momentum(static_cast<float>(spec.momentum)),
        nesterov(spec.nesterov) {}

  template <typename State>
  constexpr float operator()(float w, float g, State& velocity, State& /*second*/) const {
    g = g + decay * w;
    velocity = momentum * velocity + g;
    return w - rate * (nesterov ? g + momentum * velocity : velocity);
  }

  float rate, decay, momentum;
  bool nesterov;
};

/// What Adam multiplies by in step t: w -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t)
/// + epsilon).
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

  template <typename State>
  constexpr void renew_moments(float g, State& m, State& v) const {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
  }

  template <typename State>
  constexpr float move(float w, float g, State& m, State& v) const {
    renew_moments(g, m, v);
    return w - rate * m / (std::sqrt(v) / root_correction + epsilon);
  }

  float beta1, beta2, rest1, rest2, correction, rate, root_correction, epsilon;
};

/// Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015; weight decay joins the
/// gradient.
struct Adam {
  static constexpr int kStates = 2;
  Adam(const OptimizerSpec& spec, const UpdateStep& step)
      : factors(spec, step), decay(static_cast<float>(spec.weight_decay)) {}

  template <typename State>
  constexpr float operator()(float w, float g, State& m, State& v) const {
    return factors.move(w, g + decay * w, m, v);
  }

  AdamFactors factors;
  float decay;
};

/// Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019: weights shrink by
/// themselves, beside Adam's step.
struct AdamW {
  static constexpr int kStates = 2;
  AdamW(const OptimizerSpec& spec, const UpdateStep& step)
      : factors(spec, step), keep(static_cast<float>(1 - step.learning_rate * spec.weight_decay)) {}

  template <typename State>
  constexpr float operator()(float w, float g, State& m, State& v) const {
    return factors.move(keep * w, g, m, v);
  }

  AdamFactors factors;
  float keep;
};

/// You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", ICLR
/// 2020, algorithm 2, with phi the identity. Layer-wise: direction() of all of a tensor's elements
/// comes first, and then its trust ratio is known.
struct Lamb {
  static constexpr int kStates = 2;
  Lamb(const OptimizerSpec& spec, const UpdateStep& step)
      : factors(spec, step),
        rate(static_cast<float>(step.learning_rate)),
        decay(static_cast<float>(spec.weight_decay)) {}

  /// Renews the states; what the weight will move along.
  template <typename State>
  constexpr float direction(float w, float g, State& m, State& v) const {
    factors.renew_moments(g, m, v);
    return along(w, m, v);
  }

  /// The new weight.
  template <typename State>
  constexpr float operator()(float w, const State& m, const State& v, float trust_ratio) const {
    return w - rate * trust_ratio * along(w, m, v);
  }

  /// Adam's step, with the corrections of both moments, and weight decay.
  template <typename State>
  constexpr float along(float w, const State& m, const State& v) const {
    return m / factors.correction / (std::sqrt(v) / factors.root_correction + factors.epsilon) +
           decay * w;
  }

  AdamFactors factors;
  float rate, decay;
};

/// Of a tensor, from the squared lengths of its weights and its direction. Weights that are all
/// zero, as biases are at first, and a direction of no length have none.
template <typename Square>
constexpr float trust_ratio(Square weights, Square direction) {
  return weights > 0 && direction > 0 ? static_cast<float>(std::sqrt(weights / direction)) : 1;
}

/// Calls `body` with the rule of the optimizer for this step, false where it is layer-wise.
template <typename Body>
bool with_rule(const OptimizerSpec& spec, const UpdateStep& step, const Body& body) {
  if (spec.name == "sgd" && spec.momentum == 0) {
    body(GradientDescent(spec, step));
  } else if (spec.name == "sgd") {
    body(MomentumDescent(spec, step));
  } else if (spec.name == "adam") {
    body(Adam(spec, step));
  } else if (spec.name == "adamw") {
    body(AdamW(spec, step));
  } else {
    return false;
  }
  return true;
}

/// The same of those that are, false where it is not.
template <typename Body>
bool with_layer_wise_rule(const OptimizerSpec& spec, const UpdateStep& step, const Body& body) {
  if (spec.name != "lamb") return false;
  body(Lamb(spec, step));
  return true;
}

}  // namespace tandem
