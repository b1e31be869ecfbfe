#include "core/model/device_profile.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/yaml_fields.h"

namespace tandem {
namespace {

std::map<LayerKind, double> read_efficiency(const std::string& file, const YAML::Node& node) {
  std::map<LayerKind, double> efficiency;
  if (!node || node.IsNull()) return efficiency;
  Fields fields(file, node);
  for (const std::string& name : layer_kind_names()) {
    const YAML::Node value = fields.find(name.c_str());
    if (!value) continue;
    efficiency[*parse_layer_kind(name)] = fields.share(name.c_str());
  }
  fields.finish();
  return efficiency;
}

Spread read_spread(Fields& fields) {
  std::vector<double> quantiles;
  for (const YAML::Node& node : fields.list("iteration_spread")) {
    double factor = 0;
    if (!YAML::convert<double>::decode(node, factor) || !std::isfinite(factor) || factor <= 0)
      fields.fail(node, "'iteration_spread' lists factors above 0");
    if (!quantiles.empty() && factor < quantiles.back())
      fields.fail(node, "'iteration_spread' must ascend: it lists quantiles, the least first");
    quantiles.push_back(factor);
  }
  if (quantiles.size() == 1)
    fields.fail(fields.find("iteration_spread"), "'iteration_spread' needs two factors or more");
  return Spread(std::move(quantiles));
}

std::map<std::string, std::string> read_like(const std::string& file, const YAML::Node& node) {
  std::map<std::string, std::string> like;
  if (!node || node.IsNull()) return like;
  Fields fields(file, node);
  for (const auto& entry : node) {
    if (!entry.second.IsScalar()) fields.fail(entry.second, "'like' must map a model to a model");
    like[entry.first.Scalar()] = entry.second.Scalar();
  }
  return like;
}

DeviceProfile::Throughput read_throughput(const std::string& file, const YAML::Node& node) {
  Fields fields(file, node);
  DeviceProfile::Throughput throughput;
  throughput.model = fields.text("model");
  throughput.batch_size = fields.count("batch_size");
  throughput.images_per_s = fields.positive("images_per_s");
  fields.finish();
  return throughput;
}

DeviceProfile::LayerTime read_layer_time(const std::string& file, const YAML::Node& node) {
  Fields fields(file, node);
  DeviceProfile::LayerTime time;
  time.model = fields.text("model");
  time.batch_size = fields.count("batch_size");
  time.layer = fields.text("layer");
  time.forward = fields.not_negative("forward_s");
  time.backward = fields.not_negative("backward_s");
  time.forward_spread = fields.not_negative("forward_spread", 0);
  time.backward_spread = fields.not_negative("backward_spread", 0);
  fields.finish();
  return time;
}

// A model that `like` names must have a throughput, or the entry would be without effect.
void check_like(const Fields& fields, const YAML::Node& node, const DeviceProfile& profile) {
  std::vector<std::string> measured;
  for (const auto& throughput : profile.throughputs) measured.push_back(throughput.model);
  for (const auto& [model, sibling] : profile.like) {
    if (std::find(measured.begin(), measured.end(), sibling) != measured.end()) continue;
    fields.fail(node[model], fmt::format("'{}' is in no line of throughputs; the nearest is '{}'",
                                         sibling, nearest(sibling, measured)));
  }
}

DeviceProfile read_profile(const std::string& file, const YAML::Node& root) {
  Fields fields(file, root);
  DeviceProfile profile;
  profile.name = fields.text("name");
  profile.source = fields.find("source") ? fields.text("source") : "";
  profile.memory_bytes = fields.positive("memory_bytes", 0);
  profile.peak_flops = fields.positive("peak_flops_per_s");
  profile.memory_bandwidth = fields.positive("memory_bandwidth_bytes_per_s");
  profile.reduction_bandwidth = fields.positive("reduction_bandwidth_bytes_per_s", kForever);
  profile.update_bandwidth = fields.positive("update_bandwidth_bytes_per_s", 0);
  profile.kernel_overhead = fields.not_negative("kernel_overhead_s", 0);
  profile.iteration_overhead = fields.not_negative("iteration_overhead_s", 0);
  profile.board_speed = fields.share("board_speed", 1);
  profile.iteration_spread = read_spread(fields);
  profile.efficiency = read_efficiency(file, fields.find("efficiency"));
  for (const YAML::Node& node : fields.list("throughputs")) {
    profile.throughputs.push_back(read_throughput(file, node));
  }
  const YAML::Node like = fields.find("like");
  profile.like = read_like(file, like);
  check_like(fields, like, profile);
  for (const YAML::Node& node : fields.list("layer_times")) {
    profile.layer_times.push_back(read_layer_time(file, node));
  }
  fields.finish();
  return profile;
}

}  // namespace

DeviceProfile DeviceProfile::load(const std::filesystem::path& file) {
  return read_yaml(file, read_profile);
}

void DeviceProfile::save(const std::filesystem::path& file) const {
  std::string text = fmt::format("name: {}\n", yaml_text(name));
  const auto line = [&](const char* key, double value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  if (!source.empty()) text += fmt::format("source: {}\n", yaml_text(source));
  if (memory_bytes > 0) line("memory_bytes", memory_bytes);
  line("peak_flops_per_s", peak_flops);
  line("memory_bandwidth_bytes_per_s", memory_bandwidth);
  if (std::isfinite(reduction_bandwidth))
    line("reduction_bandwidth_bytes_per_s", reduction_bandwidth);
  if (update_bandwidth > 0) line("update_bandwidth_bytes_per_s", update_bandwidth);
  line("kernel_overhead_s", kernel_overhead);
  line("iteration_overhead_s", iteration_overhead);
  if (board_speed != 1) line("board_speed", board_speed);
  if (!iteration_spread.empty())
    text +=
        fmt::format("iteration_spread: [{:.4f}]\n", fmt::join(iteration_spread.quantiles(), ", "));
  if (!efficiency.empty()) text += "efficiency:\n";
  for (const auto& [kind, share] : efficiency)
    text += fmt::format("  {}: {}\n", to_string(kind), share);
  if (!throughputs.empty()) text += "throughputs:\n";
  for (const Throughput& row : throughputs) {
    text += fmt::format("  - {{model: {}, batch_size: {}, images_per_s: {}}}\n",
                        yaml_text(row.model), row.batch_size, row.images_per_s);
  }
  if (!like.empty()) text += "like:\n";
  for (const auto& [model, sibling] : like) {
    text += fmt::format("  {}: {}\n", yaml_text(model), yaml_text(sibling));
  }
  if (!layer_times.empty()) text += "layer_times:\n";
  for (const LayerTime& row : layer_times) {
    text += fmt::format("  - {{model: {}, batch_size: {}, layer: {}, forward_s: {}, backward_s: {}",
                        yaml_text(row.model), row.batch_size, yaml_text(row.layer), row.forward,
                        row.backward);
    if (row.forward_spread > 0) text += fmt::format(", forward_spread: {:.2g}", row.forward_spread);
    if (row.backward_spread > 0)
      text += fmt::format(", backward_spread: {:.2g}", row.backward_spread);
    text += "}\n";
  }
  write_file_atomically(file, text);
}

}  // namespace tandem
