#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace tandem {

/// Images as files hold them: a byte a pixel, {images, channels, height, width}.
struct ByteImages {
  Shape shape;  ///< of one
  std::vector<std::uint8_t> pixels;
};

/// Scales images so that each channel has mean 0 and standard deviation 1 over the training images.
class PixelScale {
 public:
  explicit PixelScale(const ByteImages& train);

  std::vector<float> operator()(const ByteImages& images) const;

 private:
  std::vector<float> table_;  ///< {channels, 256}: the number that the network sees
};

}  // namespace tandem
