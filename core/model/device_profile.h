#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/base/spread.h"
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
    /// How far the measured ones lay apart: third quartile less first, by the median; 0 where
    /// nobody says. Not simulated: `iteration_spread` is.
    double forward_spread = 0;
    double backward_spread = 0;
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
  double memory_bytes = 0;      ///< that a worker can use; 0 where the profile does not say
  double peak_flops = 0;        ///< FLOP/s
  double memory_bandwidth = 0;  ///< bytes/s
  double reduction_bandwidth =
      kForever;                 ///< bytes added to a buffer a second; infinite where adding is free
  double update_bandwidth = 0;  ///< bytes/s of optimizer updates; memory_bandwidth where 0
  Seconds kernel_overhead = 0;  ///< a kernel
  Seconds iteration_overhead =
      0;  ///< an iteration: whatever no kernel accounts for; charged with Phase::kInput
  double board_speed = 1;   ///< of one of a board's GPUs while another of them is used too, by what
                            ///< it is alone
  Spread iteration_spread;  ///< how its iterations differ; empty: they are alike
  std::map<LayerKind, double> efficiency;  ///< share of peak_flops reached; 1 where a kind is not
                                           ///< listed, but attention's is linear's then
  std::vector<LayerTime> layer_times;
  std::vector<Throughput> throughputs;
  std::map<std::string, std::string>
      like;  ///< a model without throughputs takes the scale of this one

  /// Throws InputError (file:line:column) for a malformed profile.
  static DeviceProfile load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;
};

/// A profile made ready for one model and batch size, so that asking is cheap.
///
/// A layer's time is the measured one where the profile has it (interpolated between batch sizes,
/// in proportion beyond them), else scale() times the analytic one,
///   max(FLOPs / (efficiency * peak), bytes / memory bandwidth) + overhead a kernel,
/// and 0 for layers that do nothing. The scale makes an iteration of plain SGD on one device
/// (input, forward, backward, update) last batch size / images per second of the measured
/// throughput. It is computed for the measured model's own shape and holds for others; between two
/// batch sizes it is interpolated, beyond them the nearest holds. A model without throughputs takes
/// the scale of the one it is `like`, else the geometric mean over the models that have some,
/// else 1.
class KernelTimes {
 public:
  /// Throws InputError where a throughput is higher than updates and overheads alone allow.
  KernelTimes(const DeviceProfile& profile, const LayerGraph& graph, int batch_size);
  /// Time of a kernel made for that graph and batch size (layer kernels), or of any update or
  /// reduction kernel by its FLOPs and bytes; an input kernel takes the iteration's overhead.
  Seconds operator()(const Kernel& kernel) const;
  /// Time to add `bytes` received bytes to a buffer.
  Seconds reduction(std::size_t bytes) const;
  /// Of analytic layer times.
  double scale() const { return scale_; }

 private:
  DeviceProfile profile_;
  double scale_ = 1;
  std::vector<Seconds> forward_, backward_;  ///< by layer
};

}  // namespace tandem
