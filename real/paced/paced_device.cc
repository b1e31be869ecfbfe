#include "real/paced/paced_device.h"

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
#include "core/base/paths.h"

namespace tandem {

PacedDevice::PacedDevice(const Scenario& scenario, const LayerGraph& graph)
    : name_(*scenario.device), factor_(scenario.simulation.compute_factor) {
  const std::filesystem::path file = find_device(scenario.platform_file(), name_);
  profile_ = read_file(file);
  times_ = std::make_shared<const KernelTimes>(DeviceProfile::load(file), graph,
                                               scenario.pass_batch_size());
}

std::string PacedDevice::name() const {
  return with_factor(name_, factor_);
}

DeviceTime PacedDevice::time() const {
  return [times = times_, factor = factor_](const Kernel& kernel) {
    return (*times)(kernel) / factor;
  };
}

nlohmann::json PacedDevice::profile() const {
  return {{profile_name(name_), profile_}};
}

}  // namespace tandem
