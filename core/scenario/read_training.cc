#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

// A key that only one choice of `name` has.
const Value* find_of(const MapReader& map, const std::string& key, const std::string& name,
                     const std::string& owner) {
  const Value* value = map.find(key);
  if (value && name != owner) {
    fail(value->where, fmt::format("{} belongs to {}; '{}' has none, so leave it out",
                                   map.dotted(key), owner, name));
  }
  return value;
}

// Losses are multiplied by it in float32.
double read_scale(const Value& value, const std::string& name) {
  return read_within(value, name, 1e-37, 3e38);
}

LossScaleSpec read_loss_scale(const Value& value) {
  const MapReader map(value, "precision.loss_scale",
                      {"initial", "window", "hysteresis", "minimum"});
  LossScaleSpec scale;
  if (const Value* initial = map.find("initial"))
    scale.initial = read_scale(*initial, map.dotted("initial"));
  if (const Value* window = map.find("window"))
    scale.window = read_int(*window, map.dotted("window"), 1);
  if (const Value* hysteresis = map.find("hysteresis"))
    scale.hysteresis = read_int(*hysteresis, map.dotted("hysteresis"), 1);
  if (const Value* minimum = map.find("minimum"))
    scale.minimum = read_scale(*minimum, map.dotted("minimum"));
  if (scale.initial < scale.minimum)
    fail(map.find("minimum") ? map.find("minimum")->where : map.find("initial")->where,
         fmt::format("{} is {}, but has to be at most {}, which is {}", map.dotted("minimum"),
                     scale.minimum, map.dotted("initial"), scale.initial));
  return scale;
}

}  // namespace

LearningRateSchedule read_schedule(const Value& value) {
  const std::string what = "learning rate schedule";
  const std::vector<std::string> names = {"constant", "step", "cosine"};
  LearningRateSchedule schedule;
  if (value.kind == Value::Kind::kScalar) {
    schedule.name = read_choice(value, what, names);
  } else {
    const MapReader map(
        value, "learning_rate_schedule",
        {"name", "warmup_steps", "linear_scaling", "every", "factor", "steps", "minimum"});
    if (const Value* name = map.find("name")) schedule.name = read_choice(*name, what, names);
    if (const Value* warmup = map.find("warmup_steps"))
      schedule.warmup_steps = read_int(*warmup, map.dotted("warmup_steps"), 0);
    if (const Value* scaling = map.find("linear_scaling"))
      schedule.linear_scaling = read_bool(*scaling, map.dotted("linear_scaling"));
    if (const Value* every = find_of(map, "every", schedule.name, "step"))
      schedule.every = read_int(*every, map.dotted("every"), 1);
    if (const Value* factor = find_of(map, "factor", schedule.name, "step"))
      schedule.factor = read_positive(*factor, map.dotted("factor"));
    if (const Value* steps = find_of(map, "steps", schedule.name, "cosine"))
      schedule.steps = read_int(*steps, map.dotted("steps"), 1);
    if (const Value* minimum = find_of(map, "minimum", schedule.name, "cosine"))
      schedule.minimum = read_positive(*minimum, map.dotted("minimum"));
  }
  if (schedule.steps > 0 && schedule.steps <= schedule.warmup_steps)
    fail(value.find("steps")->where,
         fmt::format("learning_rate_schedule.steps is {}, but has to be above warmup_steps, which "
                     "is {} and among them",
                     schedule.steps, schedule.warmup_steps));
  if (schedule.name == "step" && schedule.every == 0)
    fail(value.where,
         "learning_rate_schedule.every is missing; give one, such as '{name: step, every: 100}'");
  return schedule;
}

PrecisionSpec read_precision(const Value& value) {
  const std::vector<std::string> names = {"fp32", "tf32", "fp16", "bf16"};
  PrecisionSpec precision;
  if (value.kind == Value::Kind::kScalar) {
    precision.name = read_choice(value, "precision", names);
    return precision;
  }
  const MapReader map(value, "precision", {"name", "loss_scale"});
  precision.name = read_choice(map.require("name", "fp16"), "precision", names);
  if (const Value* scale = find_of(map, "loss_scale", precision.name, "fp16"))
    precision.loss_scale = read_loss_scale(*scale);
  return precision;
}

CompressionSpec read_compression(const Value& value) {
  const std::vector<std::string> names = {"none", "fp16", "bf16", "top_k", "power_sgd"};
  CompressionSpec compression;
  if (value.kind == Value::Kind::kScalar) {
    compression.name = read_choice(value, "compression", names);
    return compression;
  }
  const MapReader map(value, "algorithm.compression", {"name", "ratio", "rank"});
  compression.name = read_choice(map.require("name", "top_k"), "compression", names);
  if (const Value* ratio = find_of(map, "ratio", compression.name, "top_k")) {
    compression.ratio = read_positive(*ratio, map.dotted("ratio"));
    if (compression.ratio > 1)
      fail(ratio->where, fmt::format("{} is {}, but has to be a share of at most 1",
                                     map.dotted("ratio"), compression.ratio));
  }
  if (const Value* rank = find_of(map, "rank", compression.name, "power_sgd"))
    compression.rank = read_int(*rank, map.dotted("rank"), 1);
  return compression;
}

}  // namespace tandem
