#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "core/base/atomic_file.h"
#include "core/base/paths.h"
#include "core/scenario/algorithms.h"
#include "core/scenario/edit.h"
#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

constexpr int kMostThreads = 1024;  // no machine has more cores for a worker

const std::vector<std::string> kKeys = {"name",
                                        "model",
                                        "data",
                                        "batch_size",
                                        "optimizer",
                                        "learning_rate_schedule",
                                        "backward_passes_per_step",
                                        "clip_norm",
                                        "precision",
                                        "iterations",
                                        "epochs",
                                        "seed",
                                        "platform",
                                        "device",
                                        "transport",
                                        "algorithm",
                                        "workers",
                                        "simulation",
                                        "faults",
                                        "sweep",
                                        "trace",
                                        "chakra",
                                        "synchronize_batch_norm",
                                        "threads",
                                        "warmup_iterations",
                                        "evaluate_every",
                                        "timeout",
                                        "checkpoint"};

bool has_control(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' '; });
}

/// Whether it can name the results' folder, and nothing else.
bool names_folder(const std::string& name) {
  return name.find('/') == std::string::npos && !has_control(name) && !name.empty() &&
         name != "." && name != ".." && is_utf8(name);
}

std::string read_name(const Value& value) {
  std::string name = read_string(value, "name");
  if (names_folder(name)) return name;
  fail(value.where, fmt::format("name is '{}', but has to be one without '/' and line ends: it "
                                "names a folder",
                                has_control(name) ? "..." : name));
}

std::string name_of(const MapReader& map, const std::string& default_name) {
  if (const Value* name = map.find("name")) return read_name(*name);
  if (names_folder(default_name)) return default_name;
  fail(map.where(), "name is missing, and the file's own can't name a folder; give a name");
}

// A platform is a file or a name in platforms/; which, and whether it is there, is known here.
std::string read_platform(const Value& value) {
  std::string platform = read_string(value, "platform");
  try {
    find_resource("platforms", platform, "xml");
  } catch (const InputError& error) {
    fail(value.where, fmt::format("platform: {}", error.what()));
  }
  return platform;
}

// Also where every host names a device of its own: a name that is not there is a mistake.
std::string read_device(const Value& value, const Scenario& scenario) {
  std::string device = read_string(value, "device");
  if (is_computing(device)) return device;  // that of simulations is looked for by them
  std::vector<std::string> others;
  if (!is_paced(device)) others.assign(kComputingDevices.begin(), kComputingDevices.end());
  try {
    find_device(scenario.platform_file(), device, others);
  } catch (const InputError& error) {
    fail(value.where, fmt::format("device: {}", error.what()));
  }
  return device;
}

// Of which every member records each.
int read_iterations(const Value& value, const std::string& name, int least) {
  return read_limited(value, name, least, kMostIterations, "since each is recorded");
}

void read_length(const MapReader& map, Scenario& scenario) {
  const Value* iterations = map.find("iterations");
  const Value* epochs = map.find("epochs");
  if (iterations && epochs) fail(epochs->where, "give iterations or epochs, not both");
  if (!iterations && !epochs)
    fail(map.where(), "iterations is missing; give one, such as 'iterations: 100', or epochs");
  if (iterations) scenario.iterations = read_iterations(*iterations, "iterations", 1);
  if (epochs) scenario.epochs = read_positive(*epochs, "epochs");
  if (const Value* warmup = map.find("warmup_iterations"))
    scenario.warmup_iterations = read_iterations(*warmup, "warmup_iterations", 0);
  if (const Value* every = map.find("evaluate_every"))
    scenario.evaluate_every = read_int(*every, "evaluate_every", 1);
}

// Of a pipeline: workers fill pipelines, and micro-batches are of one size.
void check_pipeline(const Value* algorithm, const Scenario& scenario) {
  const int stages = scenario.stages();
  if (scenario.workers % stages != 0)
    fail(algorithm->find("stages")->where,
         fmt::format("algorithm.stages is {}, but workers is {}, which is not a multiple of it; a "
                     "pipeline takes a worker a stage, so give workers: {}",
                     stages, scenario.workers, (scenario.workers / stages + 1) * stages));
  const std::int64_t samples = std::int64_t{scenario.batch_size} * stages;
  constexpr int kMost = std::numeric_limits<int>::max();
  if (stages > 1 && samples > kMost)
    fail(algorithm->where, fmt::format("a pipeline takes batch_size times stages, {}, samples an "
                                       "iteration, but at most {} are possible; lower batch_size",
                                       samples, kMost));
  if (samples % scenario.micro_batches() != 0)
    fail(algorithm->find("micro_batches")->where,
         fmt::format("algorithm.micro_batches is {}, but has to divide a pipeline's {} samples of "
                     "an iteration, batch_size times stages",
                     scenario.micro_batches(), samples));
}

void read_members(const MapReader& map, Scenario& scenario) {
  const Value* algorithm = map.find("algorithm");
  const Value* workers = map.find("workers");
  if (algorithm) scenario.algorithm = read_algorithm(*algorithm);
  if (workers) scenario.workers = read_member_count(*workers, "workers");
  if (scenario.algorithm.name == "none" && scenario.workers > 1)
    fail(workers->where, fmt::format("workers is {}, but algorithm none is one worker alone; give "
                                     "workers: 1, or another algorithm, such as ring",
                                     scenario.workers));
  if (scenario.algorithm.backup_workers >= scenario.workers)
    fail(algorithm->where,
         fmt::format("algorithm.backup_workers is {}, but has to be below workers, which is {}: at "
                     "least one gradient is needed",
                     scenario.algorithm.backup_workers, scenario.workers));
  check_pipeline(algorithm, scenario);
}

void check_honoured(const Value& value, const std::string& key, const Scenario& scenario) {
  if (std::ranges::count(algorithm_info(scenario.algorithm.name).honours, key) > 0) return;
  std::vector<std::string> able;
  for (const AlgorithmInfo& info : known_algorithms()) {
    if (std::ranges::count(info.honours, key) > 0) able.push_back(info.name);
  }
  fail(value.where,
       fmt::format("{} is not possible with algorithm {}; leave it out, or take one of {}", key,
                   scenario.algorithm.name, fmt::join(able, ", ")));
}

void check_precision(const Value& value, const Scenario& scenario) {
  check_honoured(value, "precision", scenario);
  if (scenario.algorithm.compression.name != "none")
    fail(value.where, fmt::format("precision is {}, but algorithm.compression compresses fp32 "
                                  "gradients; leave one of the two out",
                                  scenario.precision.name));
}

int read_passes(const Value& value, const Scenario& scenario) {
  const int passes = read_int(value, "backward_passes_per_step", 1);
  if (passes > 1 && scenario.algorithm.name == "pipeline")
    fail(
        value.where,
        "backward_passes_per_step is not possible with algorithm pipeline, whose micro-batches are "
        "what it makes of an iteration; leave it out, and raise batch_size and "
        "algorithm.micro_batches");
  return passes;
}

// Some of them only some algorithms can honour.
void read_training(const MapReader& map, Scenario& scenario) {
  if (const Value* schedule = map.find("learning_rate_schedule"))
    scenario.learning_rate_schedule = read_schedule(*schedule);
  if (const Value* passes = map.find("backward_passes_per_step"))
    scenario.backward_passes_per_step = read_passes(*passes, scenario);
  if (const Value* norm = map.find("clip_norm"))
    scenario.clip_norm = read_positive(*norm, "clip_norm");
  if (const Value* precision = map.find("precision"))
    scenario.precision = read_precision(*precision);
  if (const Value* synchronize = map.find("synchronize_batch_norm")) {
    scenario.synchronize_batch_norm = read_bool(*synchronize, "synchronize_batch_norm");
    if (scenario.synchronize_batch_norm)
      check_honoured(*synchronize, "synchronize_batch_norm", scenario);
  }
  if (scenario.optimizer.name == "lamb") check_honoured(*map.find("optimizer"), "lamb", scenario);
  if (scenario.clip_norm) check_honoured(*map.find("clip_norm"), "clip_norm", scenario);
  if (scenario.precision.dtype() != DType::kFloat32)
    check_precision(*map.find("precision"), scenario);
}

void read_places(const MapReader& map, Scenario& scenario) {
  const Value* platform = map.find("platform");
  if (platform && platform->kind == Value::Kind::kMap) {
    scenario.topology = read_topology(*platform);
    scenario.platform = label(*scenario.topology);
  } else if (platform) {
    scenario.platform = read_platform(*platform);
  }
  if (const Value* device = map.find("device")) scenario.device = read_device(*device, scenario);
  if (const Value* transport = map.find("transport"))
    scenario.transport = read_choice(*transport, "transport", {"host", "mpi", "ipc", "nccl"});
  if (const Value* seed = map.find("seed")) scenario.seed = read_seed(*seed, "seed");
  if (const Value* threads = map.find("threads"))
    scenario.threads = read_limited(*threads, "threads", 1, kMostThreads);
  if (const Value* timeout = map.find("timeout"))
    scenario.timeout = read_seconds(*timeout, "timeout");
  if (const Value* trace = map.find("trace")) scenario.trace = read_trace(*trace);
  if (const Value* chakra = map.find("chakra")) scenario.chakra = read_bool(*chakra, "chakra");
}

}  // namespace

Scenario read_scenario(const Value& root, const std::string& default_name) {
  const MapReader map(root, "", kKeys);
  Scenario scenario;
  scenario.name = name_of(map, default_name);
  scenario.model = read_model(map.require("model", "mnist_cnn"));
  if (const Value* data = map.find("data")) scenario.data = read_data(*data);
  scenario.batch_size = read_int(map.require("batch_size", "32"), "batch_size", 1);
  if (const Value* optimizer = map.find("optimizer"))
    scenario.optimizer = read_optimizer(*optimizer);
  read_length(map, scenario);
  read_members(map, scenario);
  read_training(map, scenario);
  read_places(map, scenario);
  if (const Value* simulation = map.find("simulation"))
    scenario.simulation = read_simulation(*simulation);
  if (const Value* checkpoint = map.find("checkpoint"))
    scenario.checkpoint = read_checkpoint(*checkpoint);
  if (const Value* faults = map.find("faults")) {
    scenario.faults = read_faults(*faults);
    check_recovery(*faults, scenario);
  }
  return scenario;
}

ScenarioFile load_scenario(const std::string& path, const std::vector<Override>& overrides) {
  Value root = parse_yaml_file(read_file(path), path);
  [[maybe_unused]] const MapReader checked(root, "", kKeys);
  apply_overrides(root, overrides);
  ScenarioFile file{.path = path, .points = {}};
  for (const SweepPoint& point : expand_sweep(root)) {
    file.points.push_back(
        read_scenario(point.scenario, std::filesystem::path(path).stem().string()));
    file.points.back().variant = point.variant;
  }
  return file;
}

}  // namespace tandem
