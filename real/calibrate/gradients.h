#pragma once

#include "core/comm/worker.h"

namespace tandem::mpi {

/// Buffers to reduce, one after the other, that lie as a training's gradients do: in as much memory
/// as all of those take, so that caches hold as little of them.
class Gradients {
 public:
  /// `all_bytes`: of all gradients; counted as no more than kMost, nor less than `least_bytes`.
  Gradients(Worker& worker, std::size_t all_bytes, std::size_t least_bytes);

  /// The sum of the next `bytes` over both ranks of the worker's job, put in flight.
  Handle start(std::size_t bytes);
  /// Sums up all of them once: what is touched for the first time takes much longer.
  void touch();

 private:
  static constexpr std::size_t kMost = 512UL << 20U;

  Worker& worker_;
  Buffer all_;
  std::size_t at_ = 0;
};

}  // namespace tandem::mpi
