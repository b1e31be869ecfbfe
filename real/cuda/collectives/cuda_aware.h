#pragma once

#include <vector>

#include "real/cuda/engine.h"
#include "real/mpi/device_collectives.h"

namespace tandem::cuda {

/// Whether MPI takes memory of GPUs in its messages, as it says itself (MPIX_Query_cuda_support).
bool is_mpi_cuda_aware();

/// Collectives as their schedules say, by messages from GPU to GPU: of an MPI that takes their
/// memory, which then goes by whatever way that knows. GPUs add up what they receive. Small ones it
/// leaves to the hosts.
class CudaAwareCollectives final : public mpi::DeviceCollectives {
 public:
  /// For a rank that computes on `device`, or on none, -1. As mpi::MakeDeviceCollectives.
  CudaAwareCollectives(MPI_Comm comm, int device);
  ~CudaAwareCollectives() override;

  bool takes(const Schedule& schedule, const View& view) override;
  mpi::DeviceCollective make(const Schedule& schedule, const View& view) override;

  /// For collectives that it made. Of the GPU, for one at a time.
  Buffer scratch(std::size_t elements, DType dtype);
  Engine& engine() const { return *engine_; }
  /// Does add() of views of the GPU's memory, in the engine's compute queue.
  Mirror& arithmetic() const { return *arithmetic_; }
  /// After that, for one at a time.
  Event& added() const { return *added_; }

 private:
  std::vector<bool> has_gpu_;       ///< by rank
  std::unique_ptr<Engine> engine_;  ///< of its own, whose queue goes beside the network's
  std::unique_ptr<Mirror> arithmetic_;
  std::unique_ptr<Event> added_;
  std::shared_ptr<Memory> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace tandem::cuda
