#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/model/layer_graph.h"

namespace tandem {

/// How long a device takes for a kernel: measured per layer where a calibration did so, else an
/// analytic model (FLOPs at a per-kind efficiency, bytes at memory bandwidth, whichever is longer,
/// plus an overhead a kernel), scaled where the profile gives a measured throughput of that model.
/// Read from platforms/devices/NAME.yaml.
class DeviceProfile {
 public:
  /// A layer's measured times for one model and batch size.
  struct LayerTime {
    std::string model;
    int batch_size = 0;
    std::string layer;
    Seconds forward = 0;
    Seconds backward = 0;
  };
  /// A measured training throughput on one such device; sets the scale of the analytic times of
  /// that model.
  struct Throughput {
    std::string model;
    int batch_size = 0;
    double images_per_s = 0;
  };

  std::string name;
  std::string source;           ///< where the figures come from, one line
  double peak_flops = 0;        ///< FLOP/s
  double memory_bandwidth = 0;  ///< bytes/s
  double reduction_bandwidth =
      kForever;                 ///< bytes added to a buffer a second; infinite where adding is free
  Seconds kernel_overhead = 0;  ///< a kernel
  Seconds iteration_overhead =
      0;  ///< an iteration: whatever no kernel accounts for; charged with Phase::kInput
  std::map<LayerKind, double>
      efficiency;  ///< share of peak_flops reached; 1 where a kind is not listed
  std::vector<LayerTime> layer_times;
  std::vector<Throughput> throughputs;
  double update_bandwidth = 0;  ///< bytes/s of optimizer updates; memory_bandwidth where 0

  /// Throws InputError (file:line:column) for a malformed profile.
  static DeviceProfile load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;
};

/// A profile made ready for one model and batch size, so that asking is cheap.
class KernelTimes {
 public:
  KernelTimes(const DeviceProfile& profile, const LayerGraph& graph, int batch_size);
  /// Time of a kernel made for that graph and batch size (layer kernels), or of any update,
  /// reduction or input kernel by its flops and bytes.
  Seconds operator()(const Kernel& kernel) const;
  /// Time to add `bytes` received bytes to a buffer.
  Seconds reduction(std::size_t bytes) const;

 private:
  DeviceProfile profile_;
  std::vector<Seconds> forward_, backward_;  ///< by layer
  double scale_ = 1;                         ///< of analytic times
};

}  // namespace tandem
