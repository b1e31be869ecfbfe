#include "core/data/batch_maker.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tandem {

BatchMaker::BatchMaker(const Dataset& dataset, Shape shape)
    : dataset_(dataset),
      shape_(shape),
      rows_(taps(dataset.shape.height, shape.height)),
      columns_(taps(dataset.shape.width, shape.width)) {
  assert(dataset.shape.channels == shape.channels);
}

PreparedBatch BatchMaker::allocate(std::size_t size, const ImageMemory& memory) const {
  const std::size_t count = size * shape_.elements();
  std::shared_ptr<float[]> images = memory ? memory(count) : std::make_shared<float[]>(count);
  return {.images = {images.get(), count},
          .labels = std::vector<std::int32_t>(size * dataset_.labels_each),
          .memory = std::move(images)};
}

void BatchMaker::make(std::span<const std::uint32_t> indices, PreparedBatch& batch) const {
  assert(indices.size() * dataset_.labels_each <= batch.labels.size());
  const std::size_t elements = dataset_.shape.elements();
  float* image = batch.images.data();
  std::int32_t* label = batch.labels.data();
  for (const std::uint32_t index : indices) {
    const float* source = dataset_.images.data() + index * elements;
    if (shape_ == dataset_.shape) {
      std::copy_n(source, elements, image);
    } else {
      resize(source, image);
    }
    image += shape_.elements();
    label = std::ranges::copy(dataset_.labels_of(index), label).out;
  }
}

void BatchMaker::make_from(std::size_t first, PreparedBatch& batch) const {
  const std::size_t room = batch.labels.size() / dataset_.labels_each;
  std::vector<std::uint32_t> indices(std::min(room, dataset_.size() - first));
  std::iota(indices.begin(), indices.end(), static_cast<std::uint32_t>(first));
  std::ranges::fill(batch.labels, kNoLabel);
  make(indices, batch);
}

std::vector<BatchMaker::Tap> BatchMaker::taps(int from, int to) {
  const double step = static_cast<double>(from) / to;
  std::vector<Tap> taps;
  for (int i = 0; i < to; ++i) {
    const double centre = std::max(0.0, (i + 0.5) * step - 0.5);
    const int first = std::min(static_cast<int>(centre), from - 1);
    const int second = std::min(first + 1, from - 1);
    taps.push_back({first, second, static_cast<float>(centre - first)});
  }
  return taps;
}

void BatchMaker::resize(const float* image, float* resized) const {
  const std::size_t width = dataset_.shape.width;
  const std::size_t plane = width * dataset_.shape.height;
  const auto mix = [](float a, float b, float share) { return a + share * (b - a); };
  for (int channel = 0; channel < shape_.channels; ++channel, image += plane) {
    for (const Tap& row : rows_) {
      const float* upper = image + row.first * width;
      const float* lower = image + row.second * width;
      for (const Tap& column : columns_) {
        *resized++ = mix(mix(upper[column.first], upper[column.second], column.share),
                         mix(lower[column.first], lower[column.second], column.share), row.share);
      }
    }
  }
}

}  // namespace tandem
