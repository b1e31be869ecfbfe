#pragma once

#include "core/model/device_profile.h"

namespace tandem {

/// The analytic time of a layer's kernel, unscaled; 0 where it costs nothing.
Seconds analytic_time(const DeviceProfile& profile, LayerKind kind, const Kernel& kernel);

/// Time of an optimizer update that takes so many FLOPs and moves so many bytes.
Seconds update_time(const DeviceProfile& profile, double flops, double bytes);

/// The factor from analytic to real layer times, as KernelTimes says.
double analytic_scale(const DeviceProfile& profile, const LayerGraph& graph, int batch_size);

}  // namespace tandem
