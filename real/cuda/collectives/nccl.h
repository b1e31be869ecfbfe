#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/cuda/engine.h"
#include "real/mpi/collective_plans.h"
#include "real/mpi/device_collectives.h"

namespace tandem::cuda {

/// NCCL's communicator of a job's ranks, one GPU each, as tandem uses it.
class NcclRanks {
 public:
  virtual ~NcclRanks() = default;
  /// Adds up what all ranks have at `data`, for all, once the compute queue of the engine has come
  /// to it. All ranks call it, in one order. Throws CallFailed.
  virtual void all_reduce(std::byte* data, std::size_t elements, DType dtype) = 0;
  /// Throws CallFailed where something has failed meanwhile, such as a connection.
  virtual void require_well() = 0;
  /// Ends what is in flight, wherever other ranks are; any thread may. Nothing can be done with it
  /// then, and all but this and destruction throws CallFailed.
  virtual void abort() noexcept = 0;
  /// Parts: all ranks do, and nothing is in flight. Destruction without it aborts.
  virtual void leave() = 0;
};

/// Why this build has no NCCL; empty where it has.
std::string why_no_nccl();
/// Of the library: "NCCL 2.28.9".
std::string nccl_version();
/// What one rank makes and all the others are told, to find each other.
std::string make_nccl_id();
/// Joins the ranks: all call it at once. The engine outlives the result.
std::unique_ptr<NcclRanks> join_nccl(Engine& engine, const std::string& id, int ranks, int rank);

/// Sums over all ranks of a job by NCCL, whose algorithms and so whose order of additions are its
/// own: bits are not those of the schedules. All other collectives it leaves to the hosts.
class NcclCollectives final : public mpi::DeviceCollectives {
 public:
  /// For a rank that computes on `device`, which no other does. As mpi::MakeDeviceCollectives.
  NcclCollectives(MPI_Comm comm, int device);
  ~NcclCollectives() override;

  bool takes(const Schedule& schedule, const View& view) override;
  mpi::DeviceCollective make(const Schedule& schedule, const View& view) override;
  void give_up() noexcept override;
  void leave() override;

 private:
  int size_ = 0;
  std::unique_ptr<Engine> engine_;  ///< of its own, whose queue goes beside the network's
  std::unique_ptr<NcclRanks> ranks_;
  mpi::CollectivePlans plans_;
};

}  // namespace tandem::cuda
