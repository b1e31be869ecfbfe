#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/scenario/scenario.h"
#include "core/training/network.h"
#include "real/mpi/device_collectives.h"

namespace tandem::mpi {

/// What a rank computes on.
struct ComputingDevice {
  NetworkFactory make_network;
  std::function<MakeMirror()> mirrors;     ///< as Experiment's
  MakeDeviceCollectives collectives = {};  ///< empty where all go through the hosts' memory
  /// Whether no rank before this one on its host computes on the same one.
  bool is_first_user = true;
  std::string name;                                 ///< the processor's, or the GPU's
  nlohmann::json about = nlohmann::json::object();  ///< of its libraries, for run.json
};

/// The scenario's. The ranks of a host take one GPU each, and share them where there are fewer;
/// such as compute on processors are bound to parts of their machine (binding.h). Where layers are
/// to be `timed`, each has ended when it says so. Collective over MPI_COMM_WORLD. Throws InputError
/// where it is not there, or this build has none such.
ComputingDevice computing_device(const Scenario& scenario, bool timed = false);

}  // namespace tandem::mpi
