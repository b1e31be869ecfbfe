#pragma once

#include <algorithm>

#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {

/// Two sums a channel over all of a tensor, by kernels/sums.h.
class ChannelSums {
 public:
  ChannelSums() = default;
  ChannelSums(WorkingMemory& memory, const Geometry& geometry)
      : geometry_(geometry), chunks_(count_chunks(geometry)) {
    parts_ = reinterpret_cast<Sums*>(
        memory.allocate(std::size_t(geometry.channels) * chunks_ * sizeof(Sums)));
  }

  /// Of a matrix's columns.
  static Geometry columns(int rows, int features) {
    return {rows, features, 1, 1, Layout::kChannelsLast};
  }

  /// Adds up the term over each channel.
  template <typename Term>
  void add_up(Engine& engine, const Term& term) const {
    if (geometry_.layout == Layout::kChannelsLast) {
      const int rows = geometry_.batch * geometry_.space();
      launch_items(engine, geometry_.channels * chunks_,
                   ColumnSums<Term>{term, rows, geometry_.channels, chunks_, parts_});
    } else {
      launch_groups(engine, geometry_.channels * chunks_,
                    PlaneSums<Term>{term, geometry_, chunks_, parts_});
    }
  }

  /// Leaves what add_up() made, times `factor`; either may be null.
  void leave(Engine& engine, float* first, float* second, float factor = 1) const {
    launch_groups(engine, geometry_.channels, TotalSums{parts_, chunks_, first, second, factor});
  }

 private:
  // Enough for a GPU to be busy, and few enough for the second step to be short.
  static int count_chunks(const Geometry& geometry) {
    constexpr int kMostParts = 1 << 18;
    const bool columns = geometry.layout == Layout::kChannelsLast;
    const int values = geometry.batch * geometry.space();
    const int wanted = columns ? std::clamp(values / 32, 1, 512) : std::clamp(values / 4096, 1, 64);
    return std::min(wanted, std::max(1, kMostParts / geometry.channels));
  }

  Geometry geometry_;
  int chunks_ = 0;
  Sums* parts_ = nullptr;
};

}  // namespace tandem::cuda
