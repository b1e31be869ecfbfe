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

  bool operator==(const Geometry&) const = default;
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

}  // namespace tandem::cuda
