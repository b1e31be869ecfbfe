#include "core/model/analytic_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>

#include "core/base/error.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

Seconds analytic_layers(const DeviceProfile& profile, const LayerGraph& graph, int batch_size) {
  Seconds total = 0;
  const auto layers = graph.layers();
  for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
    for (Phase phase : {Phase::kForward, Phase::kBackward}) {
      total += analytic_time(profile, layers[i].kind, layer_kernel(graph, i, phase, batch_size));
    }
  }
  return total;
}

/// Plain SGD in one kernel, as Optimizer states its cost: reads weights and gradients, writes
/// weights.
Seconds plain_update(const DeviceProfile& profile, const LayerGraph& graph) {
  const auto parameters = static_cast<double>(graph.parameter_elements());
  return update_time(profile, 6 * parameters, 3 * sizeof(float) * parameters);
}

double scale_of(const DeviceProfile& profile, const DeviceProfile::Throughput& measured,
                const LayerGraph& graph) {
  const Seconds iteration = measured.batch_size / measured.images_per_s;
  const Seconds rest = profile.iteration_overhead + plain_update(profile, graph);
  if (iteration <= rest) {
    throw InputError(fmt::format(
        "device '{}': {} images/s of {} leave {:.3g} s an iteration, less than the {:.3g} s of its "
        "update and overhead; correct throughputs or bandwidths",
        profile.name, measured.images_per_s, measured.model, iteration, rest));
  }
  return (iteration - rest) / analytic_layers(profile, graph, measured.batch_size);
}

/// The graph that a throughput of `model` was measured on: the zoo's, else `graph` if it has that
/// name.
std::optional<LayerGraph> measured_graph(const std::string& model, const LayerGraph& graph) {
  const auto names = model_names();
  if (std::find(names.begin(), names.end(), model) != names.end()) return build_model(model);
  if (model == graph.name()) return graph;
  return std::nullopt;
}

double interpolate(const std::map<int, double>& scales, int batch_size) {
  const auto above = scales.lower_bound(batch_size);
  if (above == scales.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == scales.end()) return below->second;
  const double share = double(batch_size - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

/// The scale of a model with throughputs of its own; nothing where it has none.
std::optional<double> model_scale(const DeviceProfile& profile, const std::string& model,
                                  const LayerGraph& graph, int batch_size) {
  const std::optional<LayerGraph> measured = measured_graph(model, graph);
  if (!measured) return std::nullopt;
  std::map<int, double> scales;
  for (const DeviceProfile::Throughput& throughput : profile.throughputs) {
    if (throughput.model != model) continue;
    scales[throughput.batch_size] = scale_of(profile, throughput, *measured);
  }
  if (scales.empty()) return std::nullopt;
  return interpolate(scales, batch_size);
}

std::map<std::string, double> model_scales(const DeviceProfile& profile, const LayerGraph& graph,
                                           int batch_size) {
  std::map<std::string, double> scales;
  for (const DeviceProfile::Throughput& measured : profile.throughputs) {
    const auto scale = model_scale(profile, measured.model, graph, batch_size);
    if (scale) scales[measured.model] = *scale;
  }
  return scales;
}

double geometric_mean(const std::map<std::string, double>& scales) {
  double logarithms = 0;
  for (const auto& [model, scale] : scales) logarithms += std::log(scale);
  return scales.empty() ? 1 : std::exp(logarithms / static_cast<double>(scales.size()));
}

/// Its own or that of the model it is like; nothing where neither was measured.
std::optional<double> measured_scale(const DeviceProfile& profile, const LayerGraph& graph,
                                     int batch_size) {
  const auto own = model_scale(profile, graph.name(), graph, batch_size);
  const auto sibling = profile.like.find(graph.name());
  if (own || sibling == profile.like.end()) return own;
  return model_scale(profile, sibling->second, graph, batch_size);
}

}  // namespace

Seconds analytic_time(const DeviceProfile& profile, LayerKind kind, const Kernel& kernel) {
  if (kernel.flops == 0 && kernel.bytes == 0) return 0;
  auto found = profile.efficiency.find(kind);
  if (found == profile.efficiency.end() && kind == LayerKind::kAttention) {
    found = profile.efficiency.find(LayerKind::kLinear);  // it is matrix products as well
  }
  const double efficiency = found == profile.efficiency.end() ? 1 : found->second;
  return std::max(kernel.flops / (efficiency * profile.peak_flops),
                  kernel.bytes / profile.memory_bandwidth) +
         profile.kernel_overhead;
}

Seconds update_time(const DeviceProfile& profile, double flops, double bytes) {
  const double bandwidth =
      profile.update_bandwidth > 0 ? profile.update_bandwidth : profile.memory_bandwidth;
  return std::max(flops / profile.peak_flops, bytes / bandwidth) + profile.kernel_overhead;
}

double analytic_scale(const DeviceProfile& profile, const LayerGraph& graph, int batch_size) {
  if (const auto scale = measured_scale(profile, graph, batch_size)) return *scale;
  return geometric_mean(model_scales(profile, graph, batch_size));
}

std::optional<std::string> scale_warning(const DeviceProfile& profile, const LayerGraph& graph,
                                         int batch_size) {
  constexpr double kApart = 2;
  const auto is_of_model = [&](const auto& time) { return time.model == graph.name(); };
  if (std::ranges::any_of(profile.layer_times, is_of_model)) return std::nullopt;
  if (measured_scale(profile, graph, batch_size)) return std::nullopt;
  const auto scales = model_scales(profile, graph, batch_size);
  if (scales.empty()) return std::nullopt;
  const auto scale_of_entry = [](const auto& entry) { return entry.second; };
  const auto [least, most] = std::ranges::minmax_element(scales, {}, scale_of_entry);
  if (most->second <= kApart * least->second) return std::nullopt;
  const double mean = geometric_mean(scales);
  return fmt::format(
      "device {} was measured with {}, not with {}; its times are a guess between theirs: like {} "
      "it would compute {:.2g} times as fast, like {} {:.2g} times",
      profile.name, fmt::join(std::views::keys(scales), ", "), graph.name(), least->first,
      mean / least->second, most->first, mean / most->second);
}

}  // namespace tandem
