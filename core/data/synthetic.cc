#include "core/data/synthetic.h"

#include "core/base/random.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastSamples = 512;
constexpr std::size_t kMostSamples = 8192;
constexpr std::size_t kMostElements = std::size_t{1} << 25U;
constexpr std::size_t kTrainPerTest = 32;
constexpr int kBlock = 4;        // pixels of a pattern that have one value
constexpr float kSignal = 0.5f;  // standard deviation of patterns; the noise has 1

// Streams of the seed; shuffling and initial parameters have others.
constexpr std::uint64_t kPatternStream = std::uint64_t{2} << 32U;
constexpr std::uint64_t kTrainStream = std::uint64_t{3} << 32U;
constexpr std::uint64_t kTestStream = std::uint64_t{4} << 32U;

std::vector<float> make_pattern(Shape shape, std::uint64_t seed, int label) {
  RandomStream random(seed, kPatternStream + static_cast<std::uint64_t>(label));
  const int rows = (shape.height + kBlock - 1) / kBlock;
  const int columns = (shape.width + kBlock - 1) / kBlock;
  std::vector<float> blocks(std::size_t(shape.channels) * rows * columns);
  for (float& block : blocks) block = kSignal * random.near_normal();
  std::vector<float> pattern;
  pattern.reserve(shape.elements());
  for (int c = 0; c < shape.channels; ++c) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        pattern.push_back(blocks[(std::size_t(c) * rows + y / kBlock) * columns + x / kBlock]);
      }
    }
  }
  return pattern;
}

Dataset make_split(Shape shape, const std::vector<std::vector<float>>& patterns, std::size_t size,
                   RandomStream random) {
  Dataset split;
  split.shape = shape;
  split.classes = static_cast<int>(patterns.size());
  split.images.reserve(size * shape.elements());
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t label = i % patterns.size();
    split.labels.push_back(static_cast<std::int32_t>(label));
    for (const float mean : patterns[label]) split.images.push_back(mean + random.near_normal());
  }
  return split;
}

}  // namespace

std::size_t synthetic_train_size(Shape shape) {
  std::size_t size = kMostSamples;
  while (size > kLeastSamples && size * shape.elements() > kMostElements) size /= 2;
  return size;
}

DataSplits make_synthetic(Shape shape, int classes, std::uint64_t seed) {
  std::vector<std::vector<float>> patterns;
  for (int label = 0; label < classes; ++label) {
    patterns.push_back(make_pattern(shape, seed, label));
  }
  const std::size_t size = synthetic_train_size(shape);
  return {make_split(shape, patterns, size, RandomStream(seed, kTrainStream)),
          make_split(shape, patterns, size / kTrainPerTest, RandomStream(seed, kTestStream))};
}

}  // namespace tandem
