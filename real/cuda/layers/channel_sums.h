#pragma once

#include <algorithm>

#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {

/// Two sums a channel over all of a tensor, by kernels/sums.h.
class ChannelSums {
 public:
  ChannelSums() = default;
  ChannelSums(WorkingMemory& memory, const Geometry& geometry) : geometry_(geometry) {
    split_ = {geometry.batch * geometry.space(), chunk_length(geometry_)};
    parts_ = reinterpret_cast<Sums*>(
        memory.allocate(std::size_t(geometry.channels) * split_.chunks() * sizeof(Sums)));
  }

  /// Of a matrix's columns.
  static Geometry columns(int rows, int features) {
    return {rows, features, 1, 1, Layout::kChannelsLast};
  }

  const Sums* parts() const { return parts_; }
  /// Of a channel's values.
  const Split& split() const { return split_; }

  /// Adds up the term over each channel.
  template <typename Term>
  void add_up(Engine& engine, const Term& term) const {
    with_width<typename Term::Number>(geometry_, [&](auto width) {
      if (!geometry_.has_planes()) {
        const ColumnSums<Term, width> sums{term, geometry_.channels, split_, parts_};
        launch_groups(engine, split_.chunks() * sums.bands(), sums);
      } else {
        const Split stretches{split_.total / width, split_.length / width};
        launch_groups(engine, geometry_.channels * stretches.chunks(),
                      PlaneSums<Term, width>{term, geometry_, stretches, parts_});
      }
    });
  }

  /// Leaves what add_up() made, times `factor`; either may be null.
  void leave(Engine& engine, float* first, float* second, float factor = 1) const {
    launch_groups(engine, geometry_.channels,
                  TotalSums{parts_, split_.chunks(), first, second, factor});
  }

 private:
  static constexpr int kMostWidth = 8;  // that chunks of a plane must be divisible by

  // So many that a GPU is busy to the end, with some turns for each of a group's lanes.
  static int chunk_length(const Geometry& geometry) {
    constexpr int kGroups = 2048, kElementsEach = 1 << 14;
    const int side_by_side = geometry.has_planes() ? 1 : std::min(geometry.channels, 256);
    const std::int64_t length = std::max<std::int64_t>(geometry.elements() / side_by_side / kGroups,
                                                       kElementsEach / side_by_side);
    return static_cast<int>(length / kMostWidth + 1) * kMostWidth;
  }

  Geometry geometry_;
  Split split_;
  Sums* parts_ = nullptr;
};

}  // namespace tandem::cuda
