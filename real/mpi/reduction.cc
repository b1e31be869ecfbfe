#include "real/mpi/reduction.h"

#include <algorithm>

#include "core/base/median.h"
#include "core/collectives/execution.h"
#include "real/mpi/clock.h"

namespace tandem::mpi {

double reduction_bandwidth(std::size_t bytes) {
  constexpr double kBytesInAll = 2e9;
  constexpr int kFewest = 11;
  constexpr int kMost = 2001;
  const std::size_t elements = std::max<std::size_t>(1, bytes / sizeof(float));
  const Buffer sum = make_host_buffer(elements, DType::kFloat32);
  const Buffer addend = make_host_buffer(elements, DType::kFloat32);
  const auto size = static_cast<double>(sum.view().bytes());
  const int repeats = std::clamp(static_cast<int>(kBytesInAll / size), kFewest, kMost);
  const Clock clock;
  std::vector<Seconds> times;
  for (int i = 0; i < repeats; ++i) {
    const Seconds begin = clock.now();
    add(sum.view(), addend.view());
    times.push_back(clock.now() - begin);
  }
  return size / median(times);
}

}  // namespace tandem::mpi
