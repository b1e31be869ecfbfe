#pragma once

#include "core/training/update_elements.h"
#include "real/cuda/kernels/squares.h"

namespace tandem::cuda {

// Layer-wise rules (core/training/update_elements.h): a group goes over a stretch of an arena, and
// over each tensor's part of that by itself.

struct TensorStretches {
  const TensorPart* parts;
  int part_count;
  std::int64_t offset;  ///< of the arena's first element among those that `parts` count
  Split split;

  /// Calls `body(begin, count, tensor)` for the parts of the group's stretch.
  template <typename Body>
  TANDEM_DEVICE void for_each(int group, const Body& body) const {
    int begin = split.begin(group), left = split.count(group);
    for (int part = part_at(offset + begin); left > 0; ++part) {
      const std::int64_t in_part = parts[part].end - offset - begin;
      const int count = in_part < left ? static_cast<int>(in_part) : left;
      body(begin, count, static_cast<int>(parts[part].tensor));
      begin += count;
      left -= count;
    }
  }

 private:
  TANDEM_DEVICE int part_at(std::int64_t element) const {
    int first = 0;
    for (int beyond = part_count; first < beyond;) {
      const int middle = first + (beyond - first) / 2;
      if (parts[middle].end > element) {
        beyond = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }
};

/// Renews the rule's states, and adds the squares of each tensor's weights and direction to its two
/// sums (Optimizer::lengths()).
template <typename Rule, typename T>
struct MeasureTensors {
  Rule rule;
  TensorStretches stretches;
  const float* weights;
  const T* gradient;
  float* first_state;
  float* second_state;
  float scale;
  std::int64_t* sums;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    stretches.for_each(group, [&](int begin, int count, int tensor) {
      LaneSquares::Digits weight_digits = {}, direction_digits = {};
      LaneSquares of_weights(weight_digits), of_direction(direction_digits);
      for (int i = lanes.index(); i < count; i += lanes.count()) {
        const int at = begin + i;
        const float w = weights[at];
        float first = first_state[at], second = second_state[at];
        of_weights.add(w);
        of_direction.add(rule.direction(w, scale * as_float(gradient[at]), first, second));
        first_state[at] = first;
        second_state[at] = second;
      }
      std::int64_t* sum = sums + std::int64_t{2} * kSquareSumWords * tensor;
      of_weights.add_to(sum, lanes);
      of_direction.add_to(sum + kSquareSumWords, lanes);
    });
  }
};

/// Item t tells the trust ratio of tensor t.
struct TrustRatios {
  std::int64_t* sums;
  float* ratios;

  TANDEM_DEVICE void operator()(int tensor) const {
    ratios[tensor] = trust_ratio(square_of(2 * tensor), square_of(2 * tensor + 1));
  }

 private:
  TANDEM_DEVICE double square_of(int i) const {
    return square_sum(SquareSum(sums + std::int64_t{i} * kSquareSumWords, kSquareSumWords));
  }
};

/// Moves weights along the rule's direction.
template <typename Rule, typename T>
struct UpdateTensors {
  Rule rule;
  TensorStretches stretches;
  const float* ratios;
  float* weights;
  const float* first_state;
  const float* second_state;
  T* rounded;  ///< as Update's

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    stretches.for_each(group, [&](int begin, int count, int tensor) {
      const float ratio = ratios[tensor];
      for (int i = lanes.index(); i < count; i += lanes.count()) {
        const int at = begin + i;
        const float w = rule(weights[at], first_state[at], second_state[at], ratio);
        weights[at] = w;
        if (rounded != nullptr) store(rounded[at], w);
      }
    });
  }
};

}  // namespace tandem::cuda
