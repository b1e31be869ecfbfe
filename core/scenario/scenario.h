#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/comm/buffer.h"
#include "core/model/layer.h"

namespace tandem {

/// A layer of a user's own model, as listed in YAML.
struct LayerSpec {
  std::string name;
  LayerKind kind;
  LayerOptions options;
  std::vector<std::string> inputs;  ///< empty: the layer before it
};

struct ModelSpec {
  std::string name;            ///< a zoo model, or the user's name for `layers`
  std::optional<Shape> input;  ///< default: the zoo model's own; required with `layers`
  std::optional<int> classes;
  std::vector<LayerSpec> layers;  ///< empty for a zoo model
};

struct DataSpec {
  std::string name = "synthetic";
  std::optional<std::string> path;
};

struct OptimizerSpec {
  std::string name = "sgd";  ///< one of optimizer_names()
  double learning_rate = 0.01;
  double momentum = 0;    ///< sgd only
  bool nesterov = false;  ///< sgd only
  double weight_decay = 0;
  double beta1 = 0.9;  ///< this and those below: all but sgd
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// How the learning rate changes from step to step; training/learning_rate.h says how.
struct LearningRateSchedule {
  std::string name = "constant";  ///< or "step" or "cosine"
  int warmup_steps = 0;
  bool linear_scaling = false;  ///< the rate grows with workers and passes
  int every = 0;                ///< step only: so many steps at each rate
  double factor = 0.1;          ///< step only: of a rate to the next
  int steps = 0;                ///< cosine only: until the minimum; 0: all of the run
  double minimum = 0;           ///< cosine only
};

/// Of 16-bit floats; training/loss_scaler.h says how.
struct LossScaleSpec {
  double initial = 65536;
  int window = 1000;
  int hysteresis = 2;
  double minimum = 1;
};

/// The numbers that weights and gradients are made of; optimizers compute in fp32 in any case.
struct PrecisionSpec {
  std::string name = "fp32";  ///< or "fp16" or "bf16"
  LossScaleSpec loss_scale;   ///< fp16 only

  DType dtype() const {
    return name == "fp16" ? DType::kFloat16 : name == "bf16" ? DType::kBFloat16 : DType::kFloat32;
  }
  bool scales_loss() const { return name == "fp16"; }
};

/// What is sent of gradients; strategies/gradient_exchange.h does it.
struct CompressionSpec {
  std::string name = "none";  ///< or "fp16", "bf16", "top_k" or "power_sgd"
  double ratio = 0.01;        ///< top_k only: share of the gradients that is sent
  int rank = 4;               ///< power_sgd only: columns of a factor
};

/// What the members do in an iteration. In YAML either a name alone (`ring` is short for all_reduce
/// over a ring) or a map.
struct AlgorithmSpec {
  std::string name = "all_reduce";  ///< "none", "all_reduce" or "parameter_server"
  std::string collective = "ring";  ///< all_reduce only
  std::size_t bucket_bytes =
      25'000'000;               ///< gradients are reduced, or pushed, in buckets of about this size
  bool overlap = true;          ///< communicate while backward still computes
  CompressionSpec compression;  ///< all_reduce only

  /// What result files call it: the collective's name for all_reduce, else the name.
  std::string label() const { return name == "all_reduce" ? collective : name; }
  /// Members beside the workers.
  int servers() const { return name == "parameter_server" ? 1 : 0; }
};

enum class Depth { kSizes, kPayload };
enum class ExecutorKind { kAuto, kExact, kFused };

struct SimulationSpec {
  Depth depth = Depth::kSizes;
  ExecutorKind executor = ExecutorKind::kAuto;
};

/// One experiment: one point of a sweep, every value resolved.
struct Scenario {
  std::string name;
  ModelSpec model;
  DataSpec data;
  int batch_size = 0;  ///< of each worker
  OptimizerSpec optimizer;
  LearningRateSchedule learning_rate_schedule;
  int backward_passes_per_step = 1;  ///< of batch_size samples each, gradients averaged over them
  std::optional<double> clip_norm;   ///< of the mean gradient, at most
  PrecisionSpec precision;
  std::optional<int> iterations;  ///< one of the two is given
  std::optional<double> epochs;
  int warmup_iterations = 2;  ///< run first and left out of every time; they do train
  AlgorithmSpec algorithm;
  int workers = 1;
  std::string platform;               ///< a name in platforms/ or a file
  std::optional<std::string> device;  ///< for hosts of the platform that name none
  std::uint64_t seed = 1;
  int threads = 1;  ///< compute threads of a real worker
  SimulationSpec simulation;

  /// Samples that an optimizer step takes in, on all workers together.
  double samples_per_iteration() const {
    return static_cast<double>(batch_size) * backward_passes_per_step * workers;
  }

  /// Workers and servers together.
  int members() const { return workers + algorithm.servers(); }
};

/// A scenario file, its sweep multiplied out.
struct ScenarioFile {
  std::string path;              ///< as given
  std::vector<Scenario> points;  ///< in the order of the sweep, the last axis fastest
};

/// Reads and checks a scenario file; `overrides` are "key=value" with dotted keys (--set). Throws
/// InputError with file:line:column, what is wrong, and what would be right.
ScenarioFile load_scenario(const std::string& path, const std::vector<std::string>& overrides = {});

/// The canonical form: JSON that load_scenario() reads back (JSON is YAML) to the same point.
nlohmann::json to_json(const Scenario& scenario);

}  // namespace tandem
