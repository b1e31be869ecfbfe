#include "core/data/synthetic.h"

#include <numeric>
#include <utility>

#include "core/base/random.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastSamples = 512;
constexpr std::size_t kMostSamples = 8192;
constexpr std::size_t kMostElements = std::size_t{1} << 25U;
constexpr std::size_t kTrainPerTest = 32;
constexpr int kBlock = 4;           // pixels of a pattern that have one value
constexpr float kFollowed = 0.75F;  // share of tokens that are followed by their successor
constexpr float kSignal = 0.5f;     // standard deviation of patterns; the noise has 1

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

std::size_t train_size(Shape shape) {
  std::size_t size = kMostSamples;
  while (size > kLeastSamples && size * shape.elements() > kMostElements) size /= 2;
  return size;
}

/// A random permutation: what each token is mostly followed by.
std::vector<std::int32_t> make_successors(int vocabulary, std::uint64_t seed) {
  RandomStream random(seed, kPatternStream);
  std::vector<std::int32_t> successors(vocabulary);
  std::iota(successors.begin(), successors.end(), 0);
  for (std::size_t i = successors.size(); i > 1; --i) {
    std::swap(successors[i - 1], successors[random.below(i)]);
  }
  return successors;
}

Dataset make_sequences(const SampleForm& form, const std::vector<std::int32_t>& successors,
                       std::size_t size, RandomStream random) {
  Dataset split{.shape = form.shape,
                .classes = form.vocabulary,
                .images = {},
                .labels = {},
                .labels_each = static_cast<int>(form.shape.elements())};
  const auto any = [&] { return static_cast<std::int32_t>(random.below(form.vocabulary)); };
  for (std::size_t i = 0; i < size; ++i) {
    std::int32_t token = any();
    for (int position = 0; position < split.labels_each; ++position) {
      split.images.push_back(static_cast<float>(token));
      token = random.uniform() < kFollowed ? successors[token] : any();
      split.labels.push_back(token);
    }
  }
  return split;
}

}  // namespace

DatasetInfo describe_synthetic(const SampleForm& form) {
  DatasetInfo info{form.shape, form.classes, train_size(form.shape)};
  if (form.vocabulary == 0) return info;
  info.classes = form.vocabulary;
  info.labels_each = static_cast<int>(form.shape.elements());
  info.has_tokens = true;
  return info;
}

DataSplits make_synthetic(const SampleForm& form, std::uint64_t seed) {
  const std::size_t size = train_size(form.shape);
  const RandomStream train(seed, kTrainStream), test(seed, kTestStream);
  if (form.vocabulary > 0) {
    const std::vector<std::int32_t> successors = make_successors(form.vocabulary, seed);
    return {make_sequences(form, successors, size, train),
            make_sequences(form, successors, size / kTrainPerTest, test)};
  }
  std::vector<std::vector<float>> patterns;
  for (int label = 0; label < form.classes; ++label) {
    patterns.push_back(make_pattern(form.shape, seed, label));
  }
  return {make_split(form.shape, patterns, size, train),
          make_split(form.shape, patterns, size / kTrainPerTest, test)};
}

}  // namespace tandem
