#pragma once

#include <optional>
#include <string>

#include "core/model/device_profile.h"

namespace tandem {

/// The analytic time of a layer's kernel, unscaled; 0 where it costs nothing.
Seconds analytic_time(const DeviceProfile& profile, LayerKind kind, const Kernel& kernel);

/// Time of an optimizer update that takes so many FLOPs and moves so many bytes.
Seconds update_time(const DeviceProfile& profile, double flops, double bytes);

/// The factor from analytic to real layer times, as KernelTimes says.
double analytic_scale(const DeviceProfile& profile, const LayerGraph& graph, int batch_size);

/// Where that is a mean over other models whose factors differ more than twofold, so that it says
/// little of this one: what the profile was measured with, and what like these it would be. Models
/// that are bound by launching kernels, as small ones are, have factors far above those of large
/// ones.
std::optional<std::string> scale_warning(const DeviceProfile& profile, const LayerGraph& graph,
                                         int batch_size);

}  // namespace tandem
