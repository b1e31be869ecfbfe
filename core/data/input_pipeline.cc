#include "core/data/input_pipeline.h"

#include <utility>

namespace tandem {

InputPipeline::InputPipeline(const Dataset& dataset, Shape shape, Shard shard, int batch_size,
                             int ahead, std::size_t first, const ImageMemory& memory)
    : maker_(dataset, shape), shard_(std::move(shard)), prepared_(first), taken_(first) {
  for (int i = 0; i <= ahead; ++i) slots_.push_back(maker_.allocate(batch_size, memory));
  if (ahead > 0)
    thread_ = std::jthread([this](const std::stop_token& stop) { prepare_ahead(stop); });
}

const PreparedBatch& InputPipeline::next() {
  if (!thread_.joinable()) {
    prepare(taken_);
    return slot(taken_++);
  }
  std::unique_lock lock(mutex_);
  const std::size_t iteration = taken_++;  // gives the batch before this one back
  changed_.notify_all();
  changed_.wait(lock, [&] { return prepared_ > iteration; });
  return slot(iteration);
}

const PreparedBatch* InputPipeline::ahead() {
  if (!thread_.joinable()) return nullptr;
  const std::lock_guard lock(mutex_);
  return prepared_ > taken_ ? &slot(taken_) : nullptr;
}

void InputPipeline::prepare(std::size_t iteration) {
  maker_.make(shard_.batch(iteration), slot(iteration));
}

void InputPipeline::prepare_ahead(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // The slot of batch taken_ - 1 is in use.
  const auto has_room = [&] { return prepared_ + 1 < taken_ + slots_.size(); };
  while (changed_.wait(lock, stop, has_room)) {
    const std::size_t iteration = prepared_;
    lock.unlock();
    prepare(iteration);
    lock.lock();
    ++prepared_;
    changed_.notify_all();
  }
}

}  // namespace tandem
