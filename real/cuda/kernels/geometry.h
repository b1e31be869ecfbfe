#pragma once

#include "real/cuda/kernels/numbers.h"

namespace tandem::cuda {

/// The order of a tensor's elements in memory: row-major {batch, channels, height, width}, or the
/// same with channels last, in which tensor cores multiply.
enum class Layout { kPlain, kChannelsLast };

struct Position {
  int sample, channel, y, x;
};

/// Where the elements of a tensor lie. Fewer than 2^31 of them.
struct Geometry {
  int batch = 0, channels = 0, height = 0, width = 0;
  Layout layout = Layout::kPlain;

  TANDEM_DEVICE int space() const { return height * width; }
  TANDEM_DEVICE std::int64_t elements() const {
    return std::int64_t(batch) * channels * height * width;
  }

  TANDEM_DEVICE int place(const Position& p) const {
    if (layout == Layout::kChannelsLast) {
      return ((p.sample * height + p.y) * width + p.x) * channels + p.channel;
    }
    return ((p.sample * channels + p.channel) * height + p.y) * width + p.x;
  }

  TANDEM_DEVICE Position position(int place) const {
    if (layout == Layout::kChannelsLast) {
      const int pixel = place / channels, row = pixel / width;
      return {row / height, place % channels, row % height, pixel % width};
    }
    const int row = place / width, plane = row / height;
    return {plane / channels, plane % channels, row % height, place % width};
  }

  TANDEM_DEVICE int channel(int place) const {
    return layout == Layout::kChannelsLast ? place % channels : place / space() % channels;
  }

  /// The same tensor in the plain layout.
  TANDEM_DEVICE Geometry plain() const { return {batch, channels, height, width, Layout::kPlain}; }
  /// Whether its elements are in the plain order, whatever the layout is called.
  TANDEM_DEVICE bool is_plain() const {
    return layout == Layout::kPlain || channels == 1 || space() == 1;
  }

  /// Whether neighbours are of one channel, in planes, rather than of consecutive ones.
  TANDEM_DEVICE bool has_planes() const { return layout == Layout::kPlain && space() > 1; }
  /// Elements in a row that are.
  TANDEM_DEVICE int run() const { return has_planes() ? space() : channels; }

  bool operator==(const Geometry&) const = default;
};

/// The channels of W neighbours.
template <int W>
struct Channels {
  int first;
  bool are_one;  ///< of all

  TANDEM_DEVICE int index(int i) const { return are_one ? first : first + i; }
  /// Their numbers of those by channel, in memory that is aligned to 256 bytes.
  TANDEM_DEVICE Pack<float, W> load(const float* by_channel) const {
    if (!are_one) return Pack<float, W>::at(by_channel + first);
    Pack<float, W> same;
    for (int i = 0; i < W; ++i) same.numbers[i] = by_channel[first];
    return same;
  }
};

/// How items share a tensor's elements, each of which depends on its channel, W neighbours at a
/// time: an item's stretches are of the same channels, whose numbers it loads once. It goes from
/// the end: what the pass before this read last is in the cache still. W must divide
/// geometry.run().
template <int W>
struct ChannelWalk {
  static constexpr int kTurns = 4;

  explicit ChannelWalk(const Geometry& whole)
      : geometry(whole), elements(static_cast<int>(whole.elements())) {
    // After that many the channels are the same again.
    const int period = whole.has_planes() ? whole.channels * whole.space() : whole.channels;
    constexpr int kLeast = 1 << 13;
    step = std::min((kLeast - 1) / period + 1, (elements / period - 1) / kTurns + 1) * period;
    tiles = (elements - 1) / kTurns / step + 1;
  }

  int items() const { return tiles * (step / W); }

  TANDEM_DEVICE Channels<W> channels(int item) const {
    return {geometry.channel(item % (step / W) * W), geometry.has_planes()};
  }
  /// Calls `body(place, turn)` for each of an item's stretches.
  template <typename Body>
  TANDEM_DEVICE void each(int item, const Body& body) const {
    const int tile = tiles - 1 - item / (step / W);
    const std::int64_t first =
        std::int64_t(tile) * kTurns * step + std::int64_t(item % (step / W)) * W;
    TANDEM_UNROLL
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::int64_t place = first + std::int64_t(turn) * step;
      if (place < elements) body(static_cast<int>(place), turn);
    }
  }

  Geometry geometry;
  int elements;
  int step;   ///< from one of an item's stretches to the next
  int tiles;  ///< of kTurns steps
};

/// A tensor's part, a range of channels, to or from where Carry carries it.
template <typename T>
struct Part {
  T* data;
  Geometry whole;
  int first_channel = 0;

  TANDEM_DEVICE T& at(Position p) const {
    p.channel += first_channel;
    return data[whole.place(p)];
  }
};

/// Carries `factor` times a tensor into another, of which both may be parts, in another layout and
/// type, or adds it to that. One item an element of `moved`, whose layout is that of the target.
template <typename From, typename To>
struct Carry {
  Part<const From> from;
  Part<To> to;
  Geometry moved;
  float factor = 1;
  bool adds = false;

  TANDEM_DEVICE void operator()(int i) const {
    const Position p = moved.position(i);
    contribute(to.at(p), factor * as_float(from.at(p)), adds);
  }
};

/// The same from planes to a few channels last, as images come; one item a pixel.
template <typename From, typename To>
struct CarryPixels {
  const From* from;
  To* to;
  Geometry geometry;
  float factor = 1;
  bool adds = false;

  TANDEM_DEVICE void operator()(int pixel) const {
    const int space = geometry.space(), sample = pixel / space, within = pixel % space;
    for (int c = 0; c < geometry.channels; ++c) {
      const float x = as_float(from[(sample * geometry.channels + c) * space + within]);
      contribute(to[pixel * geometry.channels + c], factor * x, adds);
    }
  }
};

/// The same between whole tensors in one layout.
template <typename From, typename To>
struct CarryAlong {
  static constexpr int kWidth = kPackWidth<From, To>;
  const From* from;
  To* to;
  int elements;
  float factor = 1;
  bool adds = false;

  TANDEM_DEVICE void operator()(int item) const {
    for_stretch<kWidth>(item, elements, [&](int place, auto width) {
      const auto x = Pack<From, width>::at(from + place);
      contribute<width>(to + place, adds, [&](int i) { return factor * x[i]; });
    });
  }
};

}  // namespace tandem::cuda
