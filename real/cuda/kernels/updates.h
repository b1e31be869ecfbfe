#pragma once

#include <algorithm>
#include <limits>

#include "core/training/update_elements.h"
#include "real/cuda/engine.h"
#include "real/cuda/kernels/numbers.h"
#include "real/cuda/kernels/squares.h"
#include "real/cuda/kernels/tensors.h"

namespace tandem::cuda {

// What is done with arenas, in the host's bits: compiled so that no multiplication is fused with an
// addition (launch_updates.cu). Where nothing else is said, one item an element.

/// An optimizer's rule (core/training/update_elements.h).
template <typename Rule, typename T>
struct Update {
  Rule rule;
  float* weights;
  const T* gradient;
  float* first_state;  ///< null where the rule has none, as the next
  float* second_state;
  T* rounded;  ///< where not null, what the weights become is left here too
  float scale;

  TANDEM_DEVICE void operator()(int i) const {
    float none = 0;
    const float w =
        rule(weights[i], scale * as_float(gradient[i]), Rule::kStates > 0 ? first_state[i] : none,
             Rule::kStates > 1 ? second_state[i] : none);
    weights[i] = w;
    if (rounded != nullptr) store(rounded[i], w);
  }
};

/// to = scale * from, or added to what is there.
template <typename To, typename From>
struct Combine {
  To* to;
  const From* from;
  float scale;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const { contribute(to[i], scale * as_float(from[i]), adds); }
};

/// to = *scale * from: for recordings, in which the scale may be another each time.
template <typename T>
struct Narrow {
  T* to;
  const float* from;
  const float* scale;

  TANDEM_DEVICE void operator()(int i) const { store(to[i], *scale * from[i]); }
};

/// Does `work(i)` for every i in [0, items). Work is one of those in updates.inc.
template <typename Work>
void launch_update(Engine& engine, int items, const Work& work);
/// Does `work(g, lanes)` for every group g in [0, groups) (sums.h), likewise.
template <typename Work>
void launch_update_groups(Engine& engine, int groups, const Work& work);

/// Calls body(first, count) for parts of an arena, as kernels count elements with an int.
template <typename Body>
void in_parts(std::size_t elements, const Body& body) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  for (std::size_t first = 0; first < elements; first += kMost)
    body(first, static_cast<int>(std::min(kMost, elements - first)));
}

}  // namespace tandem::cuda
