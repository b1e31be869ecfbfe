#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "core/data/batch_maker.h"

namespace tandem {

/// A worker's training batches, one an iteration. With batches ahead, a thread of its own prepares
/// the next ones while the worker computes; they are the same, bit for bit, as without.
class InputPipeline {
 public:
  /// Of `batch_size` samples of `dataset`, which must outlive it, in the order of `shard`, resized
  /// to `shape`. Keeps up to `ahead` batches ready; 0 prepares each as it is asked for. Begins with
  /// batch `first`. Images lie in `memory` where that is given.
  InputPipeline(const Dataset& dataset, Shape shape, Shard shard, int batch_size, int ahead,
                std::size_t first = 0, const ImageMemory& memory = {});

  /// The batch of the next iteration, valid until the next call. Waits until it is prepared.
  const PreparedBatch& next();
  /// The one after that, where it is prepared already and a thread does that: valid until next()
  /// was called twice.
  const PreparedBatch* ahead();

 private:
  void prepare(std::size_t iteration);
  void prepare_ahead(const std::stop_token& stop);
  PreparedBatch& slot(std::size_t iteration) { return slots_[iteration % slots_.size()]; }

  BatchMaker maker_;
  Shard shard_;
  std::vector<PreparedBatch> slots_;  ///< those ready, and the one in use

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable_any changed_;
  std::size_t prepared_ = 0;  ///< batches that are ready or were taken
  std::size_t taken_ = 0;

  std::jthread thread_;  ///< last: it ends before what it uses
};

}  // namespace tandem
