#pragma once

#include <map>
#include <vector>

#include "real/cuda/engine.h"
#include "real/mpi/collective_plans.h"
#include "real/mpi/device_collectives.h"

namespace tandem::cuda {

/// Collectives among GPUs, or processes that share one, of which each reaches the others' memory:
/// by CUDA's interprocess communication (cudaIpcOpenMemHandle). Each rank's GPU reads its share of
/// the sums from all ranks' copies and writes them to all. Those whose ranks are not all of one
/// host, small ones, and those of which ranks end with different parts, it leaves to the hosts.
class IpcCollectives final : public mpi::DeviceCollectives {
 public:
  /// For a rank that computes on `device`, or on none, -1. As mpi::MakeDeviceCollectives.
  IpcCollectives(MPI_Comm comm, const mpi::Node& node, int device);
  ~IpcCollectives() override;

  bool takes(const Schedule& schedule, const View& view) override;
  mpi::DeviceCollective make(const Schedule& schedule, const View& view) override;
  void leave() override;

  /// For collectives that it made, on whoever's thread drives them.
  Engine& engine() const { return *engine_; }
  /// Gives the block to others, and keeps it for as long as this lives, since they may: what is
  /// allocated and freed again and again is not for collectives on GPUs.
  const BlockName& name_of(const Storage& block);
  std::byte* reach(const BlockName& name);

 private:
  void require_reach(MPI_Comm comm);

  const mpi::Node& node_;
  std::unique_ptr<Engine> engine_;  ///< of its own, whose queue goes beside the network's
  std::vector<bool> has_gpu_;       ///< by rank
  mpi::CollectivePlans plans_;      ///< the member's thread's
  std::map<Storage, BlockName> given_;
  std::map<BlockName, Storage> reached_;  ///< last: is let go of before what is given
};

}  // namespace tandem::cuda
