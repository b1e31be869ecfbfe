#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/device_name.h"
#include "core/base/seconds.h"
#include "core/collectives/choose.h"
#include "core/comm/buffer.h"
#include "core/model/layer.h"
#include "core/model/transformer_shape.h"
#include "core/platform/topology.h"
#include "core/record/traced_iterations.h"
#include "core/scenario/faults.h"

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
  std::vector<LayerSpec> layers;      ///< empty for a zoo model
  TransformerShape transformer = {};  ///< of a transformer of the zoo
};

/// Height and width that images are brought to.
struct ImageSize {
  int height = 0;
  int width = 0;
};

struct DataSpec {
  std::string name = "synthetic";
  std::optional<std::string> path;
  std::vector<std::string> features;  ///< of vectors; empty: all that the data set has
  std::optional<ImageSize> resize;    ///< of images; default: as the files hold them
  /// Batches that are prepared ahead of their iteration; batches_ahead() of an experiment.
  std::optional<int> prefetch;
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
  /// Or "fp16" or "bf16"; or "tf32", which is fp32 whose products tensor cores round, if the device
  /// has some.
  std::string name = "fp32";
  LossScaleSpec loss_scale;  ///< fp16 only

  DType dtype() const {
    return name == "fp16" ? DType::kFloat16 : name == "bf16" ? DType::kBFloat16 : DType::kFloat32;
  }
  bool scales_loss() const { return name == "fp16"; }
};

/// The outer optimizer of local SGD: Nesterov's momentum.
struct OuterSpec {
  double learning_rate = 0.7;  ///< DiLoCo's own, as is the next
  double momentum = 0.9;
};

/// When a server's weights are fresh enough to be pulled.
enum class ServerMode { kSynchronous, kAsynchronous, kStaleSynchronous };
/// Where servers live: on hosts of their own, or on the workers'.
enum class Placement { kDedicated, kWorkers };

/// In which order a stage of a pipeline takes micro-batches; strategies/pipeline/pass_order.h says
/// how.
enum class PipelineSchedule { kGPipe, kOneFOneB };

const char* to_string(ServerMode mode);
const char* to_string(Placement placement);
const char* to_string(PipelineSchedule schedule);

/// What is sent of gradients; strategies/gradient_exchange.h does it.
struct CompressionSpec {
  std::string name = "none";  ///< or "fp16", "bf16", "top_k" or "power_sgd"
  double ratio = 0.01;        ///< top_k only: share of the gradients that is sent
  int rank = 4;               ///< power_sgd only: columns of a factor
};

/// What the members do in an iteration. In YAML either a name alone (`ring` is short for all_reduce
/// over a ring) or a map.
struct AlgorithmSpec {
  std::string name = "all_reduce";  ///< one of known_algorithms()
  std::string collective = "ring";  ///< all_reduce only: one of all_reduce_names(), or "auto"
  AllReduceOptions options;         ///< of the collective
  /// What `auto` goes by. No scenario key: the world finds it out before the run.
  std::optional<NetworkFigures> network;
  std::size_t bucket_bytes =
      25'000'000;               ///< gradients are reduced, or pushed, in buckets of about this size
  bool overlap = true;          ///< communicate while backward still computes
  CompressionSpec compression;  ///< all_reduce only
  std::optional<int> passes = 1;  ///< pairwise_averaging only; none for "all"
  int local_steps = 1;  ///< local_sgd, elastic_averaging (its tau): iterations between averagings
  std::optional<OuterSpec> outer;  ///< local_sgd only
  int stage = 1;                   ///< zero only: what is sharded, 0 to 3
  int prefetch = 1;  ///< zero only: layer groups that stage 3 gathers ahead, with overlap

  // pipeline only.
  std::optional<int> stages;         ///< default: one pipeline of all workers
  std::optional<int> micro_batches;  ///< of a pipeline's iteration; default: as many as stages
  PipelineSchedule schedule = PipelineSchedule::kOneFOneB;

  // Of algorithms that have servers.
  int server_count = 1;
  Placement placement = Placement::kDedicated;
  // parameter_server only.
  ServerMode mode = ServerMode::kSynchronous;
  int staleness = 1;       ///< bound s of stale_synchronous
  int backup_workers = 0;  ///< b of synchronous: an iteration takes the first N-b gradients
  int push_every = 1;      ///< iterations; with the next one not of synchronous
  int pull_every = 1;
  bool priority = true;              ///< a few at a time, front layers first
  bool early_pull = true;            ///< see pulls_early()
  bool pull_overlap = true;          ///< each layer's forward waits only for its own weights
  std::optional<double> elasticity;  ///< elastic_averaging's alpha; default: Scenario::elasticity()

  /// What result files call it: the collective's name for all_reduce, else the name, with what
  /// tells variants of one algorithm apart.
  std::string label() const;
  /// Layer groups of zero that are gathered ahead of the one that computes.
  int groups_ahead() const { return overlap ? prefetch : 0; }
  /// Members beside the workers.
  int servers() const;
  /// Whether a worker of a parameter server pulls each bucket as soon as the server has what it
  /// pushed of it, instead of all when an iteration begins.
  bool pulls_early() const { return early_pull && push_every == 1 && pull_every == 1; }
  /// Whether it has to ask for weights: what it pushes does not tell the server when it wants them.
  bool asks() const { return mode != ServerMode::kSynchronous && !pulls_early(); }
};

enum class Depth { kSizes, kPayload };
enum class ExecutorKind { kAuto, kExact, kFused };
/// Which of their hosts each worker takes: in the order of a ring that crosses links least, or in
/// which the platform lists them.
enum class RankOrder { kPlatform, kDeclared };

struct SimulationSpec {
  Depth depth = Depth::kSizes;
  ExecutorKind executor = ExecutorKind::kAuto;
  /// What-if: every link of the platform has so many times its bandwidth and its latency, and every
  /// device computes so many times as fast.
  double bandwidth_factor = 1, latency_factor = 1, compute_factor = 1;
  RankOrder rank_order = RankOrder::kPlatform;
  bool fold = true;         ///< like workers may be simulated as one
  bool extrapolate = true;  ///< iterations that repeat themselves may be left out
  bool trains = true;       ///< messages go in trains of packets where links are shapers
};

/// What trace.json shows of a run: so many iterations from the first timed one on, of a simulation
/// also the first workers and servers alone.
struct TraceSpec {
  std::optional<int> iterations = 2;  ///< none: all
  int every = 1;                      ///< from one that is shown to the next
  int members = 64;                   ///< of workers, and of servers
  bool rounds = false;                ///< also what collectives do in their rounds

  bool operator==(const TraceSpec&) const = default;
};

/// When a real run saves its state, from which a later one goes on; training/checkpoint does it.
struct CheckpointSpec {
  int every = 0;  ///< iterations from one to the next
  int keep = 2;   ///< the newest so many
  /// The folder of them; by default, and resolved before the run, in the result folder.
  std::optional<std::string> path;
  std::optional<int> resume;  ///< go on from that after so many iterations
};

/// Of iterations and of those to warm up.
inline constexpr int kMostIterations = 10'000'000;

/// One experiment: one point of a sweep, every value resolved.
struct Scenario {
  std::string name;
  /// What tells it from other points where no column of the results does: the keys that it sweeps
  /// and those that it gives for what runs, "compression=fp16, bucket=25 MB". No key of its own.
  std::string variant;
  ModelSpec model;
  DataSpec data;
  int batch_size = 0;  ///< of each worker
  OptimizerSpec optimizer;
  LearningRateSchedule learning_rate_schedule;
  int backward_passes_per_step = 1;  ///< of batch_size samples each, gradients averaged over them
  std::optional<double> clip_norm;   ///< of the mean gradient, at most
  PrecisionSpec precision;
  /// Batch norms take the statistics of all workers' batches instead of their own batch's.
  bool synchronize_batch_norm = false;
  std::optional<int> iterations;  ///< one of the two is given; up to kMostIterations
  std::optional<double> epochs;
  std::optional<int> evaluate_every;  ///< iterations from one accuracy on the test set to the next
  std::optional<CheckpointSpec> checkpoint;
  int warmup_iterations = 2;  ///< run first and left out of every time; they do train
  AlgorithmSpec algorithm;
  int workers = 1;
  std::string platform;               ///< a name in platforms/, a file, or the topology's label
  std::optional<Topology> topology;   ///< of a platform that is described instead of named
  std::optional<std::string> device;  ///< for hosts of the platform that name none
  /// How a real run's collectives move what GPUs have computed: through the hosts' memory ("host"),
  /// by an MPI that takes GPUs' ("mpi"), from GPU to GPU of one host ("ipc"), or by NCCL ("nccl").
  std::string transport = "host";
  std::uint64_t seed = 1;
  int threads = 1;        ///< compute threads of a real worker
  Seconds timeout = 300;  ///< a real member that waits longer for others gives up
  SimulationSpec simulation;
  TraceSpec trace;
  FaultsSpec faults;
  bool chakra = false;  ///< keep what members do, and write it as Chakra execution traces

  /// Of the platform; empty where it has none. Throws InputError where it is not there.
  std::filesystem::path platform_file() const;
  /// Whether real workers wait for their device's profiled times instead of computing.
  bool is_paced() const { return device && tandem::is_paced(*device); }
  TracedIterations traced_iterations() const {
    return {.first = warmup_iterations,
            .count = trace.iterations.value_or(std::numeric_limits<int>::max()),
            .every = trace.every};
  }
  /// Iterations after which what an iteration sends and waits for repeats.
  int period() const;
  /// Samples that an optimizer step takes in, on all workers together.
  double samples_per_iteration() const {
    return static_cast<double>(batch_size) * backward_passes_per_step * workers;
  }

  /// Workers that hold a model together, each a stage of it: a pipeline's; else 1.
  int stages() const {
    return algorithm.name == "pipeline" ? algorithm.stages.value_or(workers) : 1;
  }
  /// That an iteration's samples of such workers, batch_size each, are cut into.
  int micro_batches() const {
    return algorithm.name == "pipeline" ? algorithm.micro_batches.value_or(stages()) : 1;
  }
  /// Samples that go through a layer at once.
  int pass_batch_size() const { return batch_size * stages() / micro_batches(); }

  /// Workers and servers together.
  int members() const { return workers + algorithm.servers(); }
  /// The host of each member of a simulation, counted in the platform's order: one each, or servers
  /// on the workers'.
  std::vector<int> hosts() const;
  /// That of `faults`; where members fail and it doesn't say how often to save, as `checkpoint`
  /// says.
  RecoverySpec recovery() const;
  /// alpha of elastic averaging: by default beta / N with the paper's beta of 0.9.
  double elasticity() const { return algorithm.elasticity.value_or(0.9 / workers); }
};

/// A scenario file, its sweep multiplied out.
struct ScenarioFile {
  std::string path;              ///< as given
  std::vector<Scenario> points;  ///< in the order of the sweep, the last axis fastest
};

/// What the command line changes of a scenario file.
struct Override {
  std::string text;   ///< "key=value", with a dotted key
  std::string where;  ///< as it was written, for messages: "--set workers=4", "-n 4"

  /// What --set is given.
  static Override set(const std::string& text) { return {text, "--set " + text}; }
};

/// Reads and checks a scenario file. Throws InputError with file:line:column, or an override's
/// place, what is wrong, and what would be right.
ScenarioFile load_scenario(const std::string& path, const std::vector<Override>& overrides = {});

/// The canonical form: JSON that load_scenario() reads back (JSON is YAML) to the same point.
nlohmann::json to_json(const Scenario& scenario);

}  // namespace tandem
