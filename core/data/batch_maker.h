#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/data/dataset.h"

namespace tandem {

/// A batch in memory: images {batch, channels, height, width} and labels {batch, labels each}.
struct PreparedBatch {
  std::span<float> images;
  std::vector<std::int32_t> labels;
  std::shared_ptr<float[]> memory;  ///< of the images
};

/// Gives memory for so many numbers of images, which need not be initialised.
using ImageMemory = std::function<std::shared_ptr<float[]>(std::size_t count)>;

/// Puts batches together from a data set's samples, resized where the network takes them larger or
/// smaller than they are: bilinear, sampled at the centres of pixels, borders repeated, as
/// torch.nn.functional.interpolate(mode="bilinear", align_corners=False) does.
class BatchMaker {
 public:
  /// `dataset` must outlive it. Requires as many channels in `shape` as samples have.
  BatchMaker(const Dataset& dataset, Shape shape);

  /// Fills the front of `batch`, which has room for at least the samples `indices`.
  void make(std::span<const std::uint32_t> indices, PreparedBatch& batch) const;
  /// Fills all of `batch`, from allocate(), with the samples from `first` on; where they end before
  /// it does, labels of the rest are kNoLabel.
  void make_from(std::size_t first, PreparedBatch& batch) const;
  /// With room for `size` samples, in `memory` where that is given.
  PreparedBatch allocate(std::size_t size, const ImageMemory& memory = {}) const;

 private:
  /// An output row (or column) is a mix of two of the input.
  struct Tap {
    int first, second;
    float share;  ///< of the second
  };
  static std::vector<Tap> taps(int from, int to);

  void resize(const float* image, float* resized) const;

  const Dataset& dataset_;
  Shape shape_;
  std::vector<Tap> rows_, columns_;
};

}  // namespace tandem
