#include "real/calibrate/profile.h"

#include <algorithm>

namespace tandem::mpi {
namespace {

/// FLOPs and the seconds they took.
struct Work {
  double flops = 0;
  Seconds seconds = 0;
  double rate() const { return flops / seconds; }
};

bool is_layer(const KernelTime& time) {
  return time.kernel.phase == Phase::kForward || time.kernel.phase == Phase::kBackward;
}

void add_layer_times(DeviceProfile& profile, const LayerGraph& graph, int batch_size,
                     const TrainingTimes& times) {
  for (std::size_t i = 1; i < graph.layers().size(); ++i) {
    DeviceProfile::LayerTime layer{
        .model = graph.name(), .batch_size = batch_size, .layer = graph.layers()[i].name};
    for (const KernelTime& time : times.kernels) {
      if (time.kernel.layer != static_cast<int>(i)) continue;
      if (time.kernel.phase == Phase::kForward) {
        layer.forward = time.seconds;
        layer.forward_spread = time.spread;
      }
      if (time.kernel.phase == Phase::kBackward) {
        layer.backward = time.seconds;
        layer.backward_spread = time.spread;
      }
    }
    profile.layer_times.push_back(std::move(layer));
  }
}

// The peak is that of the fastest kernel; each kind that multiplies matrices reaches its share.
void add_efficiencies(DeviceProfile& profile, const LayerGraph& graph, const TrainingTimes& times) {
  std::map<LayerKind, Work> by_kind;
  for (const KernelTime& time : times.kernels) {
    if (!is_layer(time)) continue;
    const LayerKind kind = graph.layers()[time.kernel.layer].kind;
    if (kind != LayerKind::kConvolution && kind != LayerKind::kLinear) continue;
    profile.peak_flops = std::max(profile.peak_flops, time.kernel.flops / time.seconds);
    by_kind[kind].flops += time.kernel.flops;
    by_kind[kind].seconds += time.seconds;
  }
  for (const auto& [kind, work] : by_kind) {
    profile.efficiency[kind] = work.rate() / profile.peak_flops;
  }
}

Seconds shortest_kernel(const TrainingTimes& times) {
  Seconds shortest = kForever;
  for (const KernelTime& time : times.kernels) {
    if (is_layer(time)) shortest = std::min(shortest, time.seconds);
  }
  return shortest;
}

/// Of all kernels that update, together. The overhead of each is charged on top of what its bytes
/// take, so it is no part of their time; at least a tenth of that counts as theirs, for updates as
/// short as the shortest kernel.
double update_bandwidth(const TrainingTimes& times, Seconds overhead) {
  double bytes = 0;
  Seconds moving = 0;
  for (const KernelTime& time : times.kernels) {
    if (time.kernel.phase != Phase::kUpdate) continue;
    bytes += time.kernel.bytes;
    moving += std::max(time.seconds - overhead, 0.1 * time.seconds);
  }
  return moving > 0 ? bytes / moving : 0;
}

/// The profile charges it with the input kernel, of which it knows nothing else.
Seconds iteration_overhead(const TrainingTimes& times) {
  Seconds overhead = times.between_kernels;
  for (const KernelTime& time : times.kernels) {
    if (time.kernel.phase == Phase::kInput) overhead += time.seconds;
  }
  return overhead;
}

}  // namespace

DeviceProfile make_profile(const std::string& name, const std::string& source,
                           const LayerGraph& graph, int batch_size, const TrainingTimes& times,
                           const Bandwidths& bandwidths) {
  DeviceProfile profile;
  profile.name = name;
  profile.source = source;
  profile.reduction_bandwidth = bandwidths.reduction;
  profile.kernel_overhead = shortest_kernel(times);
  profile.update_bandwidth = update_bandwidth(times, profile.kernel_overhead);
  profile.memory_bandwidth = bandwidths.memory > 0 ? bandwidths.memory : profile.update_bandwidth;
  add_efficiencies(profile, graph, times);
  add_layer_times(profile, graph, batch_size, times);
  profile.iteration_overhead = iteration_overhead(times);
  profile.iteration_spread = times.spread;
  return profile;
}

}  // namespace tandem::mpi
