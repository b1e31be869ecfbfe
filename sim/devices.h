#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/device_profile.h"
#include "core/scenario/scenario.h"
#include "core/strategies/memory_use.h"
#include "core/training/experiment.h"
#include "sim/engine.h"
#include "sim/member.h"

namespace tandem {

/// The device of a host: what the platform file says of it, or else the scenario.
struct HostDevice {
  std::string name;  ///< host property `device`
  double speed = 1;  ///< host property `speed`: this host's device is so many times as fast
  /// Another of the job's hosts has the same property `board`. Whether it computes all the time
  /// isn't looked at: a server on it counts as well.
  bool shares_board = false;

  bool operator==(const HostDevice&) const = default;
};

/// The device of each of `hosts`; of a paced scenario its own everywhere, as in its real run.
/// Throws InputError naming a host that has none, where the scenario has none too, whose speed
/// is no positive number, or whose board is empty.
std::vector<HostDevice> host_devices(const Engine& engine,
                                     const std::vector<simgrid::s4u::Host*>& hosts,
                                     const std::optional<std::string>& of_scenario);

/// Makes the devices' times for one model and batch size; the first `workers` are workers', the
/// others servers', whose times don't vary by iterations. `seed` is of the draws from `noise`, or
/// where there is none from the spread of the profile's iterations, which a paced device doesn't
/// have. A device NAME is described by devices/NAME.yaml beside the platform file, else by
/// <home>/platforms/devices/NAME.yaml. Throws InputError.
std::vector<MemberDevice> member_devices(const Engine& engine,
                                         const std::vector<HostDevice>& devices,
                                         std::size_t workers, const LayerGraph& graph,
                                         int batch_size, std::uint64_t seed,
                                         const std::optional<NoiseSpec>& noise = {});

/// Throws InputError, naming the shortfall, where a worker needs more memory than its device has.
/// `members` are those of member_devices() for `devices`, of all workers or of the first ones.
void require_memory(const Scenario& scenario, const WorkerMemory& memory,
                    const std::vector<HostDevice>& devices,
                    const std::vector<MemberDevice>& members);

/// Throws InputError where a member held more memory at its peak than its device has: what a
/// strategy keeps besides the model is known only when it has run. All three in the same order.
void require_peaks(const Scenario& scenario, const std::vector<MemberResult>& results,
                   const std::vector<HostDevice>& devices,
                   const std::vector<MemberDevice>& members);

/// scale_warning() of the devices; nothing where none has any.
std::optional<std::string> device_warning(const Engine& engine,
                                          const std::vector<HostDevice>& devices,
                                          const LayerGraph& graph, int batch_size);

/// The profile of each device as its file has it, by name: what the predicted times follow from.
std::map<std::string, std::string> profile_texts(const Engine& engine,
                                                 const std::vector<HostDevice>& devices);

/// Whether all are the same.
bool alike(const std::vector<HostDevice>& devices);

/// Their names, each once, as results give them: "k80" or "k80+p100".
std::string device_label(const std::vector<HostDevice>& devices);

}  // namespace tandem
