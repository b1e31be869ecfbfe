#pragma once

#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// Two sums a channel over a whole tensor, in two steps of a fixed order, so that the bits are
// always the same: parts of chunks of each channel's elements, then the sum of those. What is
// summed is a Term, called with an element's place and channel.
//
// Work that is called with lanes is done by a group of them together, a block of a GPU's threads or
// on a processor one: lanes.sum(x) and lanes.max(x) are those over all lanes, told to each.

struct Sums {
  float first = 0, second = 0;
};

/// Of the plain layout: group channel * chunks + chunk.
template <typename Term>
struct PlaneSums {
  Term term;
  Geometry geometry;
  int chunks;
  Sums* parts;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    const int channel = group / chunks, chunk = group % chunks;
    const int space = geometry.space();
    const int total = geometry.batch * space;
    const int length = (total + chunks - 1) / chunks;
    const int end = length < total - chunk * length ? (chunk + 1) * length : total;
    Sums sums;
    for (int i = chunk * length + lanes.index(); i < end; i += lanes.count()) {
      const int place = (i / space * geometry.channels + channel) * space + i % space;
      const Sums one = term(place, channel);
      sums.first += one.first;
      sums.second += one.second;
    }
    sums = {lanes.sum(sums.first), lanes.sum(sums.second)};
    if (lanes.index() == 0) parts[group] = sums;
  }
};

/// Of channels last, and of matrices: item chunk * channels + channel, so that neighbours read
/// neighbouring elements.
template <typename Term>
struct ColumnSums {
  Term term;
  int rows, channels;
  int chunks;
  Sums* parts;

  TANDEM_DEVICE void operator()(int item) const {
    const int channel = item % channels, chunk = item / channels;
    const int length = (rows + chunks - 1) / chunks;
    const int end = length < rows - chunk * length ? (chunk + 1) * length : rows;
    Sums sums;
    for (int row = chunk * length; row < end; ++row) {
      const Sums one = term(row * channels + channel, channel);
      sums.first += one.first;
      sums.second += one.second;
    }
    parts[channel * chunks + chunk] = sums;
  }
};

/// Group `channel` leaves its sums, times a factor each; a null target is left out.
struct TotalSums {
  const Sums* parts;
  int chunks;
  float* first;
  float* second = nullptr;
  float factor = 1;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int channel, Lanes& lanes) const {
    Sums sums;
    for (int chunk = lanes.index(); chunk < chunks; chunk += lanes.count()) {
      const Sums& part = parts[channel * chunks + chunk];
      sums.first += part.first;
      sums.second += part.second;
    }
    sums = {lanes.sum(sums.first), lanes.sum(sums.second)};
    if (lanes.index() != 0) return;
    if (first != nullptr) first[channel] = factor * sums.first;
    if (second != nullptr) second[channel] = factor * sums.second;
  }
};

/// The term of plain sums.
template <typename T>
struct Value {
  const T* values;

  TANDEM_DEVICE Sums operator()(int place, int) const { return {as_float(values[place]), 0}; }
};

}  // namespace tandem::cuda
