#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/data/dataset.h"

namespace tandem {

Shard::Shard(std::size_t dataset_size, int batch_size, int workers, int worker, std::uint64_t seed)
    : dataset_size_(dataset_size),
      batch_size_(batch_size),
      workers_(workers),
      worker_(worker),
      seed_(seed) {
  assert(batch_size > 0 && workers > 0 && 0 <= worker && worker < workers);
  const std::size_t samples = std::size_t(batch_size) * workers;
  if (samples > dataset_size) {
    throw InputError(
        fmt::format("batch_size {} on {} workers takes {} samples an iteration, but the "
                    "data has {}; lower batch_size or workers",
                    batch_size, workers, samples, dataset_size));
  }
  iterations_per_epoch_ = dataset_size / samples;
  shuffle(0);
}

std::span<const std::uint32_t> Shard::batch(std::size_t iteration) {
  const std::size_t epoch = iteration / iterations_per_epoch_;
  if (epoch != epoch_) shuffle(epoch);
  const std::size_t batch = (iteration % iterations_per_epoch_) * workers_ + worker_;
  return std::span(order_).subspan(batch * batch_size_, batch_size_);
}

// Fisher and Yates, as Durstenfeld (CACM 1964) gives it.
void Shard::shuffle(std::size_t epoch) {
  constexpr std::uint64_t kShuffleStream = std::uint64_t{1} << 32U;
  epoch_ = epoch;
  order_.resize(dataset_size_);
  std::iota(order_.begin(), order_.end(), 0U);
  RandomStream random(seed_, kShuffleStream + epoch);
  for (std::size_t i = dataset_size_ - 1; i > 0; --i) {
    std::swap(order_[i], order_[random.below(i + 1)]);
  }
}

std::uint64_t batch_on_other_workers(std::uint64_t batch, std::size_t dataset_size, int batch_size,
                                     int from_workers, int to_workers) {
  if (from_workers == to_workers) return batch;
  const std::size_t taken = std::size_t(batch_size) * from_workers;
  const std::size_t takes = std::size_t(batch_size) * to_workers;
  const std::size_t before = std::max<std::size_t>(dataset_size / taken, 1);
  const std::size_t epoch = batch / before;
  const std::size_t samples = batch % before * taken;
  const std::size_t batches = dataset_size / takes;
  return epoch * batches + std::min((samples + takes - 1) / takes, batches);
}

}  // namespace tandem
