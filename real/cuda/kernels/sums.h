#pragma once

#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// Two sums a channel over a whole tensor, in two steps of a fixed order, so that the bits are
// always the same: parts of chunks of each channel's elements, then the sum of those. What is
// summed is a Term. Its column(channels, place) is made for W neighbours' channels and the chunk's
// first place; add(place, sums) adds the terms of W neighbours, and part(i, sums, count) is what
// becomes of the i-th one's sums over `count` elements.
//
// Work that is called with lanes is done by a group of them together, a block of a GPU's threads or
// on a processor one: lanes.sum(x) and lanes.max(x) are those over all lanes, told to each.
// lanes.sum_columns(numbers, columns) adds up arrays over the lanes that have one index modulo
// `columns`, and tells the first of each.

struct Sums {
  float first = 0, second = 0;
};

/// Of W neighbours.
template <int W>
struct SumsOf {
  float numbers[2 * W] = {};

  TANDEM_DEVICE void add(int i, float first, float second) {
    numbers[i] += first;
    numbers[W + i] += second;
  }
  TANDEM_DEVICE Sums at(int i) const { return {numbers[i], numbers[W + i]}; }
};

/// Things in chunks of one length, of which the last may be shorter.
struct Split {
  int total = 0, length = 1;

  TANDEM_DEVICE int chunks() const { return (total - 1) / length + 1; }
  TANDEM_DEVICE int begin(int chunk) const { return chunk * length; }
  TANDEM_DEVICE int count(int chunk) const {
    const int left = total - begin(chunk);
    return left < length ? left : length;
  }
};

/// Of the plain layout: group channel * chunks + chunk.
template <typename Term, int W>
struct PlaneSums {
  Term term;
  Geometry geometry;
  Split stretches;  ///< of W elements of a channel
  Sums* parts;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    const int channel = group / stretches.chunks(), chunk = group % stretches.chunks();
    const int begin = stretches.begin(chunk), count = stretches.count(chunk);
    const int space = geometry.space() / W;
    const auto column = term.template column<W>(Channels<W>{channel, true},
                                                place(begin / space, channel, begin % space));
    int sample = (begin + lanes.index()) / space, within = (begin + lanes.index()) % space;
    const int samples_on = lanes.count() / space, within_on = lanes.count() % space;
    SumsOf<W> of_lane;
    for_each_step(lanes.index(), count, lanes.count(), [&](int) {
      column.add(place(sample, channel, within), of_lane);
      within += within_on;
      const bool ends_plane = within >= space;
      within -= ends_plane ? space : 0;
      sample += samples_on + (ends_plane ? 1 : 0);
    });
    Sums sums;
    for (int i = 0; i < W; ++i) {
      sums.first += of_lane.at(i).first;
      sums.second += of_lane.at(i).second;
    }
    sums = {lanes.sum(sums.first), lanes.sum(sums.second)};
    if (lanes.index() == 0) parts[group] = column.part(0, sums, count * W);
  }

 private:
  TANDEM_DEVICE int place(int sample, int channel, int stretch) const {
    return (sample * geometry.channels + channel) * geometry.space() + stretch * W;
  }
};

/// Of channels last, and of matrices: group chunk * bands() + band, where a band is of neighbouring
/// columns, which the lanes read side by side, and of the chunk's rows as many as they are enough
/// for.
template <typename Term, int W>
struct ColumnSums {
  static constexpr int kWidestBand = 32;

  Term term;
  int channels;
  Split rows;
  Sums* parts;

  TANDEM_DEVICE int columns() const { return channels / W; }
  TANDEM_DEVICE int bands() const { return (columns() + kWidestBand - 1) / kWidestBand; }

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    const int chunk = group / bands(), band = group % bands();
    const int width = (columns() + bands() - 1) / bands();
    const int across = width < lanes.count() ? width : lanes.count();
    for (int i = 0; i < width; i += across) {  // once, with a GPU's lanes
      const int column = band * width + i + lanes.index() % across;
      const bool is_there = column < columns() && column < (band + 1) * width;
      add_up(chunk, is_there ? column * W : channels, across, lanes);
    }
  }

 private:
  /// A lane's part of that, or none where `channel` is channels.
  template <typename Lanes>
  TANDEM_DEVICE void add_up(int chunk, int channel, int across, Lanes& lanes) const {
    const int begin = rows.begin(chunk), count = rows.count(chunk);
    const int down = lanes.count() / across, first = lanes.index() / across;
    const bool works = channel < channels && first < down;
    const int start = works ? begin * channels + channel : 0;
    const auto column = term.template column<W>(Channels<W>{works ? channel : 0, false}, start);
    SumsOf<W> sums;
    for_each_step(first, works ? count : 0, down,
                  [&](int row) { column.add(start + row * channels, sums); });
    lanes.sum_columns(sums.numbers, across);
    if (channel >= channels || first > 0) return;
    for (int i = 0; i < W; ++i) {
      parts[(channel + i) * rows.chunks() + chunk] = column.part(i, sums.at(i), count);
    }
  }
};

/// Of a channel's parts.
template <typename Lanes>
TANDEM_DEVICE Sums total_of(const Sums* parts, int count, Lanes& lanes) {
  Sums sums;
  for (int i = lanes.index(); i < count; i += lanes.count()) {
    sums.first += parts[i].first;
    sums.second += parts[i].second;
  }
  return {lanes.sum(sums.first), lanes.sum(sums.second)};
}

/// Group `channel` leaves its sums, times a factor each; a null target is left out.
struct TotalSums {
  const Sums* parts;
  int chunks;
  float* first;
  float* second = nullptr;
  float factor = 1;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int channel, Lanes& lanes) const {
    const Sums sums = total_of(parts + channel * chunks, chunks, lanes);
    if (lanes.index() != 0) return;
    if (first != nullptr) first[channel] = factor * sums.first;
    if (second != nullptr) second[channel] = factor * sums.second;
  }
};

/// The term of plain sums.
template <typename T>
struct Value {
  using Number = T;
  const T* values;

  template <int W>
  struct Column {
    const T* values;

    TANDEM_DEVICE void add(int place, SumsOf<W>& sums) const {
      const auto x = Pack<T, W>::at(values + place);
      for (int i = 0; i < W; ++i) sums.add(i, x[i], 0);
    }
    TANDEM_DEVICE Sums part(int, const Sums& sums, int) const { return sums; }
  };
  template <int W>
  TANDEM_DEVICE Column<W> column(const Channels<W>&, int) const {
    return {values};
  }
};

/// The term of a mean and a variance. A part of them is {mean, sum of squared deviations from it}.
/// Within it deviations are from its first value, so that nothing cancels where the mean is large.
template <typename T>
struct Moments {
  using Number = T;
  const T* values;

  template <int W>
  struct Column {
    const T* values;
    Pack<float, W> origin;

    TANDEM_DEVICE void add(int place, SumsOf<W>& sums) const {
      const auto x = Pack<T, W>::at(values + place);
      for (int i = 0; i < W; ++i) {
        const float deviation = x[i] - origin[i];
        sums.add(i, deviation, deviation * deviation);
      }
    }
    TANDEM_DEVICE Sums part(int i, const Sums& sums, int count) const {
      const float mean = sums.first / static_cast<float>(count);
      const float squares = sums.second - sums.first * mean;
      return {origin[i] + mean, squares > 0 ? squares : 0};
    }
  };
  template <int W>
  TANDEM_DEVICE Column<W> column(const Channels<W>& channels, int place) const {
    Column<W> column{values, {}};
    for (int i = 0; i < W; ++i) {
      column.origin.set(i, as_float(values[channels.are_one ? place : place + i]));
    }
    return column;
  }
};

}  // namespace tandem::cuda
