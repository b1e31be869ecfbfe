#pragma once

#include <cstdint>

#include "core/model/layer.h"

namespace tandem {

/// Maxima of windows, and the gradient by their input, for processors without AVX-512: what oneDNN
/// has for AVX2 stores the places of maxima byte by byte past the caches, which takes more than ten
/// times as long. Of a position, `lanes` channels lie beside each other: all of an image's (nhwc,
/// as many images as samples), or a block of them (nChw8c, as many as blocks of all samples).
struct MaxPooling {
  static constexpr int kMostPlaces = 256;  ///< in a window

  int images, lanes;
  Shape source, output;  ///< their channels are not looked at
  LayerOptions window;   ///< may reach out of the source, where nothing is

  /// Of equal maxima the first counts, whose place in its window goes to `places`, as large as
  /// `maxima`. What is no number counts only where it comes first.
  void forward(const float* source_values, float* maxima, std::uint8_t* places) const;
  /// Overwrites `source_gradient`. Sums are formed in one order, whatever the threads.
  void backward(const float* output_gradient, const std::uint8_t* places,
                float* source_gradient) const;
};

}  // namespace tandem
