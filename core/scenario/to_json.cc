#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/model/zoo.h"
#include "core/scenario/algorithms.h"
#include "core/scenario/scenario.h"

namespace tandem {
namespace {

using nlohmann::json;

json to_json(const LayerSpec& layer) {
  const LayerOptions& options = layer.options;
  json value = {{"kind", to_string(layer.kind)}, {"name", layer.name}};
  if (!layer.inputs.empty()) value["inputs"] = layer.inputs;
  const auto add_window = [&] {
    value["kernel"] = {options.kernel_height, options.kernel_width};
    value["stride"] = {options.stride_height, options.stride_width};
    value["padding"] = {options.padding_height, options.padding_width};
  };
  switch (layer.kind) {
    case LayerKind::kConvolution:
      add_window();
      value["groups"] = options.groups;
      [[fallthrough]];
    case LayerKind::kLinear:
      value["outputs"] = options.outputs;
      value["bias"] = options.bias;
      if (options.each_row) value["each_row"] = true;
      break;
    case LayerKind::kEmbedding:
      value["outputs"] = options.outputs;
      value["vocabulary"] = options.vocabulary;
      break;
    case LayerKind::kAttention:
      value["heads"] = options.heads;
      break;
    case LayerKind::kLayerNorm:
      value["epsilon"] = options.epsilon;
      break;
    case LayerKind::kAveragePool:
      value["count_padding"] = options.count_padding;
      [[fallthrough]];
    case LayerKind::kMaxPool:
      add_window();
      value["ceil_mode"] = options.ceil_mode;
      break;
    case LayerKind::kBatchNorm:
      value["epsilon"] = options.epsilon;
      value["momentum"] = options.momentum;
      break;
    case LayerKind::kDropout:
      value["probability"] = options.probability;
      break;
    default:
      break;
  }
  return value;
}

json to_json(const ModelSpec& model) {
  json value = {{"name", model.name}};
  if (model.layers.empty() && is_transformer(model.name)) {
    const TransformerShape& shape = model.transformer;
    value.update({{"layers", shape.layers},
                  {"width", shape.width},
                  {"heads", shape.heads},
                  {"vocabulary", shape.vocabulary},
                  {"sequence", shape.sequence}});
  }
  if (model.input)
    value["input"] = {model.input->channels, model.input->height, model.input->width};
  if (model.classes) value["classes"] = *model.classes;
  for (const LayerSpec& layer : model.layers) value["layers"].push_back(to_json(layer));
  return value;
}

json to_json(const DataSpec& data) {
  json value = {{"name", data.name}};
  if (data.path) value["path"] = *data.path;
  if (!data.features.empty()) value["features"] = data.features;
  if (data.resize) value["resize"] = {data.resize->height, data.resize->width};
  if (data.prefetch) value["prefetch"] = *data.prefetch;
  return value;
}

json to_json(const OptimizerSpec& optimizer) {
  json value = {{"name", optimizer.name},
                {"learning_rate", optimizer.learning_rate},
                {"weight_decay", optimizer.weight_decay}};
  if (optimizer.name == "sgd") {
    value["momentum"] = optimizer.momentum;
    value["nesterov"] = optimizer.nesterov;
  } else {
    value["beta1"] = optimizer.beta1;
    value["beta2"] = optimizer.beta2;
    value["epsilon"] = optimizer.epsilon;
  }
  return value;
}

json to_json(const LearningRateSchedule& schedule) {
  json value = {{"name", schedule.name},
                {"warmup_steps", schedule.warmup_steps},
                {"linear_scaling", schedule.linear_scaling}};
  if (schedule.name == "step") {
    value["every"] = schedule.every;
    value["factor"] = schedule.factor;
  } else if (schedule.name == "cosine") {
    if (schedule.steps > 0) value["steps"] = schedule.steps;
    if (schedule.minimum > 0) value["minimum"] = schedule.minimum;
  }
  return value;
}

json to_json(const PrecisionSpec& precision) {
  json value = {{"name", precision.name}};
  if (precision.scales_loss()) {
    value["loss_scale"] = {{"initial", precision.loss_scale.initial},
                           {"window", precision.loss_scale.window},
                           {"hysteresis", precision.loss_scale.hysteresis},
                           {"minimum", precision.loss_scale.minimum}};
  }
  return value;
}

json to_json(const CompressionSpec& compression) {
  json value = {{"name", compression.name}};
  if (compression.name == "top_k") value["ratio"] = compression.ratio;
  if (compression.name == "power_sgd") value["rank"] = compression.rank;
  return value;
}

json bytes(std::size_t amount) {
  if (amount == 0) return "0";  // which needs no unit
  return amount == std::numeric_limits<std::size_t>::max() ? "inf" : fmt::format("{} B", amount);
}

// Every key that some algorithm has; given are those of this one, but for what has no default.
json to_json(const AlgorithmSpec& algorithm) {
  json all = {{"collective", algorithm.collective},
              {"segment", bytes(algorithm.options.segment_bytes)},
              {"overlap", algorithm.overlap},
              {"passes", algorithm.passes ? json(*algorithm.passes) : json("all")},
              {"local_steps", algorithm.local_steps},
              {"stage", algorithm.stage},
              {"prefetch", algorithm.prefetch},
              {"schedule", to_string(algorithm.schedule)},
              {"mode", to_string(algorithm.mode)},
              {"servers", algorithm.server_count},
              {"placement", to_string(algorithm.placement)},
              {"staleness", algorithm.staleness},
              {"backup_workers", algorithm.backup_workers},
              {"push_every", algorithm.push_every},
              {"pull_every", algorithm.pull_every},
              {"priority", algorithm.priority},
              {"early_pull", algorithm.early_pull},
              {"pull_overlap", algorithm.pull_overlap},
              {"compression", to_json(algorithm.compression)},
              {"bucket", bytes(algorithm.bucket_bytes)}};
  if (algorithm.options.node_size) all["node_size"] = *algorithm.options.node_size;
  if (const auto& outer = algorithm.outer)
    all["outer"] = {{"learning_rate", outer->learning_rate}, {"momentum", outer->momentum}};
  if (algorithm.stages) all["stages"] = *algorithm.stages;
  if (algorithm.micro_batches) all["micro_batches"] = *algorithm.micro_batches;
  if (algorithm.elasticity) all["elasticity"] = *algorithm.elasticity;
  json value = {{"name", algorithm.name}};
  for (const std::string& key : algorithm_info(algorithm.name).keys) {
    if (takes_key(algorithm, key) && all.contains(key)) value[key] = all.at(key);
  }
  return value;
}

json to_json(const SimulationSpec& simulation) {
  const char* executor = simulation.executor == ExecutorKind::kAuto    ? "auto"
                         : simulation.executor == ExecutorKind::kExact ? "exact"
                                                                       : "fused";
  return {{"depth", simulation.depth == Depth::kSizes ? "sizes" : "payload"},
          {"executor", executor},
          {"fold", simulation.fold},
          {"extrapolate", simulation.extrapolate},
          {"trains", simulation.trains},
          {"rank_order", simulation.rank_order == RankOrder::kPlatform ? "platform" : "declared"},
          {"bandwidth_factor", simulation.bandwidth_factor},
          {"latency_factor", simulation.latency_factor},
          {"compute_factor", simulation.compute_factor}};
}

json to_json(const TraceSpec& trace) {
  return {{"iterations", trace.iterations ? json(*trace.iterations) : json("all")},
          {"every", trace.every},
          {"members", trace.members},
          {"rounds", trace.rounds}};
}

json to_json(const CheckpointSpec& checkpoint) {
  json value = {{"every", checkpoint.every}, {"keep", checkpoint.keep}};
  if (checkpoint.path) value["path"] = *checkpoint.path;
  if (checkpoint.resume) value["resume"] = *checkpoint.resume;
  return value;
}

}  // namespace

json to_json(const Scenario& scenario) {
  json value = {
      {"name", scenario.name},
      {"model", to_json(scenario.model)},
      {"data", to_json(scenario.data)},
      {"batch_size", scenario.batch_size},
      {"optimizer", to_json(scenario.optimizer)},
      {"learning_rate_schedule", to_json(scenario.learning_rate_schedule)},
      {"backward_passes_per_step", scenario.backward_passes_per_step},
      {"precision", to_json(scenario.precision)},
      {"synchronize_batch_norm", scenario.synchronize_batch_norm},
      {"warmup_iterations", scenario.warmup_iterations},
      {"algorithm", to_json(scenario.algorithm)},
      {"workers", scenario.workers},
      {"transport", scenario.transport},
      {"seed", scenario.seed},
      {"threads", scenario.threads},
      {"timeout", std::isinf(scenario.timeout) ? "inf" : fmt::format("{} s", scenario.timeout)},
      {"simulation", to_json(scenario.simulation)}};
  if (scenario.trace != TraceSpec{}) value["trace"] = to_json(scenario.trace);
  if (!scenario.faults.empty()) value["faults"] = to_json(scenario.faults);
  if (scenario.chakra) value["chakra"] = true;
  if (scenario.clip_norm) value["clip_norm"] = *scenario.clip_norm;
  if (scenario.iterations) value["iterations"] = *scenario.iterations;
  if (scenario.epochs) value["epochs"] = *scenario.epochs;
  if (scenario.evaluate_every) value["evaluate_every"] = *scenario.evaluate_every;
  if (scenario.topology) {
    value["platform"] = to_json(*scenario.topology);
  } else if (!scenario.platform.empty()) {
    value["platform"] = scenario.platform;
  }
  if (scenario.checkpoint) value["checkpoint"] = to_json(*scenario.checkpoint);
  if (scenario.device) value["device"] = *scenario.device;
  return value;
}

}  // namespace tandem
