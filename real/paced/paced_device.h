#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/comm/kernel.h"
#include "core/model/device_profile.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// How long a kernel takes on a device that is not there.
using DeviceTime = std::function<Seconds(const Kernel&)>;

/// The device of a paced run: waits for the times that a simulation of the scenario charges, on
/// every host the same.
class PacedDevice {
 public:
  /// Throws InputError where the scenario's device has no profile, or a bad one.
  PacedDevice(const Scenario& scenario, const LayerGraph& graph);

  /// "paced:k80", or "paced:k80 x2", as results call it.
  std::string name() const;
  DeviceTime time() const;
  /// The text of its profile by its name, for run.json.
  nlohmann::json profile() const;

 private:
  std::string name_, profile_;
  double factor_;  ///< so many times as fast as the profile
  std::shared_ptr<const KernelTimes> times_;
};

}  // namespace tandem
