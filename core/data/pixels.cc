#include "core/data/pixels.h"

#include <cmath>

namespace tandem {
namespace {

constexpr std::size_t kValues = 256;  // of a byte

/// Calls visit(channel, pixel) for every pixel in turn.
template <typename Visit>
void visit_pixels(const ByteImages& images, const Visit& visit) {
  const std::size_t plane = std::size_t(images.shape.height) * images.shape.width;
  const std::size_t channels = images.shape.channels;
  for (std::size_t begin = 0; begin < images.pixels.size(); begin += plane) {
    const std::size_t channel = begin / plane % channels;
    for (std::size_t i = begin; i < begin + plane; ++i) visit(channel, images.pixels[i]);
  }
}

struct Sums {
  std::uint64_t count = 0, sum = 0, squares = 0;
};

}  // namespace

// The sums are whole numbers, so the same on every machine.
PixelScale::PixelScale(const ByteImages& train) : table_(train.shape.channels * kValues) {
  std::vector<Sums> sums(train.shape.channels);
  visit_pixels(train, [&](std::size_t channel, std::uint8_t pixel) {
    Sums& of_channel = sums[channel];
    of_channel.count += 1;
    of_channel.sum += pixel;
    of_channel.squares += std::uint64_t{pixel} * pixel;
  });
  for (std::size_t channel = 0; channel < sums.size(); ++channel) {
    const auto count = static_cast<double>(sums[channel].count);
    const double mean = static_cast<double>(sums[channel].sum) / count;
    const double variance = static_cast<double>(sums[channel].squares) / count - mean * mean;
    const double deviation = variance > 0 ? std::sqrt(variance) : 1;
    for (std::size_t value = 0; value < kValues; ++value) {
      table_[channel * kValues + value] =
          static_cast<float>((static_cast<double>(value) - mean) / deviation);
    }
  }
}

std::vector<float> PixelScale::operator()(const ByteImages& images) const {
  std::vector<float> scaled;
  scaled.reserve(images.pixels.size());
  visit_pixels(images, [&](std::size_t channel, std::uint8_t pixel) {
    scaled.push_back(table_[channel * kValues + pixel]);
  });
  return scaled;
}

}  // namespace tandem
