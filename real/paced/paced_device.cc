#include "real/paced/paced_device.h"

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
#include "core/base/paths.h"

namespace tandem {
namespace {

std::filesystem::path profile_file(const Scenario& scenario) {
  return find_device(scenario.platform_file(), *scenario.device);
}

}  // namespace

PacedDevice::PacedDevice(const Scenario& scenario, const LayerGraph& graph)
    : name_(*scenario.device),
      file_(profile_file(scenario)),
      times_(std::make_shared<const KernelTimes>(DeviceProfile::load(file_), graph,
                                                 scenario.pass_batch_size())) {}

DeviceTime PacedDevice::time() const {
  return [times = times_](const Kernel& kernel) { return (*times)(kernel); };
}

nlohmann::json PacedDevice::profile() const {
  return {{profile_name(name_), read_file(file_)}};
}

}  // namespace tandem
