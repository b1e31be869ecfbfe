#include <algorithm>
#include <map>

#include "core/model/analytic_times.h"
#include "core/model/device_profile.h"

namespace tandem {
namespace {

/// Measured times of one layer, by batch size.
struct Measured {
  std::map<int, Seconds> forward, backward;
};

std::map<std::string, Measured> measured_layers(const DeviceProfile& profile,
                                                const std::string& model) {
  std::map<std::string, Measured> layers;
  for (const DeviceProfile::LayerTime& time : profile.layer_times) {
    if (time.model != model) continue;
    Measured& layer = layers[time.layer];
    layer.forward[time.batch_size] = time.forward;
    layer.backward[time.batch_size] = time.backward;
  }
  return layers;
}

Seconds at_batch_size(const std::map<int, Seconds>& times, int batch_size) {
  const auto above = times.lower_bound(batch_size);
  if (above == times.begin()) return above->second * batch_size / above->first;
  const auto below = std::prev(above);
  if (above == times.end()) return below->second * batch_size / below->first;
  const double share = double(batch_size - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

}  // namespace

KernelTimes::KernelTimes(const DeviceProfile& profile, const LayerGraph& graph, int batch_size)
    : profile_(profile), scale_(analytic_scale(profile, graph, batch_size)) {
  const auto measured = measured_layers(profile, graph.name());
  const auto layers = graph.layers();
  for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
    const auto found = measured.find(layers[i].name);
    if (found != measured.end()) {
      forward_.push_back(at_batch_size(found->second.forward, batch_size));
      backward_.push_back(at_batch_size(found->second.backward, batch_size));
      continue;
    }
    const auto analytic = [&](Phase phase) {
      return scale_ *
             analytic_time(profile, layers[i].kind, layer_kernel(graph, i, phase, batch_size));
    };
    forward_.push_back(analytic(Phase::kForward));
    backward_.push_back(analytic(Phase::kBackward));
  }
}

Seconds KernelTimes::operator()(const Kernel& kernel) const {
  switch (kernel.phase) {
    case Phase::kInput:
      return profile_.iteration_overhead;
    case Phase::kForward:
      return forward_.at(kernel.layer);
    case Phase::kBackward:
      return backward_.at(kernel.layer);
    case Phase::kUpdate:
    case Phase::kCompress:  // as an update is: arithmetic on flat arrays
      return update_time(profile_, kernel.flops, kernel.bytes);
    case Phase::kReduce:
      return kernel.flops * sizeof(float) / profile_.reduction_bandwidth;
  }
  return 0;
}

Seconds KernelTimes::reduction(std::size_t bytes) const {
  return static_cast<double>(bytes) / profile_.reduction_bandwidth;
}

}  // namespace tandem
