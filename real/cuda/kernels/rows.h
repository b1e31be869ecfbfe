#pragma once

#include <cmath>

#include "core/data/no_label.h"
#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// ---- Of attention: a group a row of the square matrices of all heads.

/// Row i of a head's scores becomes the softmax of its first i + 1, and 0 beyond. Both may be the
/// same memory.
template <typename T>
struct CausalSoftmax {
  const float* scores;
  T* weights;
  int positions;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int row, Lanes& lanes) const {
    const std::int64_t begin = std::int64_t(row) * positions;
    const int seen = row % positions + 1;
    float largest = -INFINITY;
    for (int i = lanes.index(); i < seen; i += lanes.count()) {
      largest = fmaxf(largest, scores[begin + i]);
    }
    largest = lanes.max(largest);
    float sum = 0;
    for (int i = lanes.index(); i < seen; i += lanes.count()) {
      sum += expf(scores[begin + i] - largest);
    }
    sum = lanes.sum(sum);
    for (int i = lanes.index(); i < positions; i += lanes.count()) {
      store(weights[begin + i], i < seen ? expf(scores[begin + i] - largest) / sum : 0);
    }
  }
};

/// From the gradient by the weights to that by the scores. Both may be the same memory.
template <typename T>
struct SoftmaxBackward {
  const T* weights;
  const float* by_weights;
  T* by_scores;
  int positions;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int row, Lanes& lanes) const {
    const std::int64_t begin = std::int64_t(row) * positions;
    float sum = 0;
    for (int i = lanes.index(); i < positions; i += lanes.count()) {
      sum += as_float(weights[begin + i]) * by_weights[begin + i];
    }
    sum = lanes.sum(sum);
    for (int i = lanes.index(); i < positions; i += lanes.count()) {
      store(by_scores[begin + i], as_float(weights[begin + i]) * (by_weights[begin + i] - sum));
    }
  }
};

// ---- Softmax and cross-entropy. Samples are the rows that have a label.

/// How a batch did: the loss as a sum over its samples, and where the largest logit is the label's.
struct LossSums {
  double loss = 0;
  int samples = 0;
  int correct = 0;
};

/// A group a row.
template <typename T>
struct SoftmaxLoss {
  const T* logits;
  const std::int32_t* labels;
  int classes;
  float* probabilities;
  LossSums* rows;  ///< of each by itself

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int row, Lanes& lanes) const {
    const std::int64_t begin = std::int64_t(row) * classes;
    float largest = -INFINITY;
    for (int i = lanes.index(); i < classes; i += lanes.count()) {
      largest = fmaxf(largest, as_float(logits[begin + i]));
    }
    largest = lanes.max(largest);
    float sum = 0;
    int first = classes;  // at which the largest is; whole numbers below 2^24 are exact in a float
    for (int i = lanes.index(); i < classes; i += lanes.count()) {
      const float logit = as_float(logits[begin + i]);
      sum += expf(logit - largest);
      if (logit == largest && i < first) first = i;
    }
    sum = lanes.sum(sum);
    first = static_cast<int>(-lanes.max(static_cast<float>(-first)));
    for (int i = lanes.index(); i < classes; i += lanes.count()) {
      probabilities[begin + i] = expf(as_float(logits[begin + i]) - largest) / sum;
    }
    if (lanes.index() != 0) return;
    const std::int32_t label = labels[row];
    rows[row] = {};
    if (label == kNoLabel) return;
    const double behind = double(largest) - double(as_float(logits[begin + label]));
    rows[row] = {std::log(double(sum)) + behind, 1, first == label ? 1 : 0};
  }
};

/// One group, over all rows.
struct TotalLoss {
  const LossSums* rows;
  int count;
  LossSums* total;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int, Lanes& lanes) const {
    LossSums sums;
    for (int row = lanes.index(); row < count; row += lanes.count()) {
      sums.loss += rows[row].loss;
      sums.samples += rows[row].samples;
      sums.correct += rows[row].correct;
    }
    sums = {lanes.sum(sums.loss), lanes.sum(sums.samples), lanes.sum(sums.correct)};
    if (lanes.index() == 0) *total = sums;
  }
};

/// The gradient by the logits is (p - onehot) / samples, times `factor`. One item a logit.
template <typename T>
struct SoftmaxLossBackward {
  const float* probabilities;
  const std::int32_t* labels;
  const LossSums* total;
  int classes;
  float factor;
  T* logits_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    const int row = i / classes;
    const std::int32_t label = labels[row];
    float gradient = 0;
    if (label != kNoLabel) {
      const float wanted = label == i % classes ? 1 : 0;
      gradient = factor * (probabilities[i] - wanted) / static_cast<float>(total->samples);
    }
    contribute(logits_gradient[i], gradient, adds);
  }
};

// ---- Embedding: rows are tokens.

/// One item an element of the output.
template <typename T>
struct Embed {
  const float* tokens;
  const float* token_table;
  const float* position_table;
  int positions, width;
  T* output;

  TANDEM_DEVICE void operator()(int i) const {
    const int row = i / width, feature = i % width;
    const int token = static_cast<int>(tokens[row]);
    store(output[i], token_table[std::int64_t(token) * width + feature] +
                         position_table[row % positions * width + feature]);
  }
};

/// What of a batch's rows has the same token as each: the next one, or the number of rows, and
/// whether there is one before. One item a row.
struct LinkTokens {
  const float* tokens;
  int rows;
  int* next;
  int* has_earlier;

  TANDEM_DEVICE void operator()(int row) const {
    int earlier = 0, later = row + 1;
    while (earlier < row && tokens[earlier] != tokens[row]) ++earlier;
    while (later < rows && tokens[later] != tokens[row]) ++later;
    has_earlier[row] = earlier < row ? 1 : 0;
    next[row] = later;
  }
};

/// The gradient by a token's vector, all of whose rows its first one adds up, in their order. One
/// item an element of the output; the table of gradients begins as zeros.
template <typename T>
struct EmbedBackward {
  const float* tokens;
  const int* next;
  const int* has_earlier;
  const T* output_gradient;
  int rows, width;
  float factor;
  float* table_gradient;

  TANDEM_DEVICE void operator()(int i) const {
    const int first = i / width, feature = i % width;
    if (has_earlier[first] != 0) return;
    float sum = 0;
    for (int row = first; row < rows; row = next[row]) {
      sum += as_float(output_gradient[row * width + feature]);
    }
    table_gradient[std::int64_t(tokens[first]) * width + feature] = factor * sum;
  }
};

}  // namespace tandem::cuda
