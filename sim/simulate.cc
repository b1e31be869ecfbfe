#include "sim/simulate.h"

#include <chrono>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/collectives/all_reduce.h"
#include "core/training/experiment.h"
#include "sim/devices.h"
#include "sim/job.h"
#ifdef TANDEM_CPU
#include "real/cpu/network.h"
#endif

namespace tandem {
namespace {

/// Timed iterations that the trace shows.
constexpr int kTracedIterations = 3;

NetworkFactory payload_network(const Scenario& scenario) {
  if (scenario.simulation.depth == Depth::kSizes) return {};
#ifdef TANDEM_CPU
  return cpu_network(scenario.threads);
#else
  throw InputError(
      "simulation.depth: payload needs the CPU device, which this build was configured without; "
      "use depth: sizes, or build with -DTANDEM_CPU=ON");
#endif
}

CollectiveShape collective_shape(const Experiment& experiment) {
  const AlgorithmSpec& algorithm = experiment.scenario.algorithm;
  if (algorithm.name != "all_reduce") return {};
  return {all_reduce(algorithm.collective), experiment.graph.parameter_elements()};
}

nlohmann::json describe(const Engine& engine, const Job& job, double seconds) {
  nlohmann::json environment = engine.describe();
  environment["executor"] = job.executor().kind == ExecutorKind::kFused ? "fused" : "exact";
  environment["executor_reason"] = job.executor().reason;
  environment["platform_file"] = engine.platform().string();
  environment["messages"] = job.messages();
  environment["simulated_seconds"] = simgrid::s4u::Engine::get_clock();
  environment["real_seconds"] = seconds;
  return environment;
}

}  // namespace

PointResult simulate(const Scenario& scenario, const std::function<void(int, int)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const Depth depth = scenario.simulation.depth;
  Experiment experiment =
      prepare_experiment(scenario, depth == Depth::kPayload, payload_network(scenario));
  experiment.progress = progress;

  Engine engine(find_resource("platforms", scenario.platform, "xml"), depth);
  const auto devices = host_devices(engine, engine.place(scenario.members()), scenario.device);
  Job job(engine,
          {.depth = depth,
           .executor = scenario.simulation.executor,
           .devices = member_devices(engine, devices, experiment.graph, scenario.batch_size),
           .devices_alike = alike(devices),
           .collective = collective_shape(experiment),
           .first_traced = scenario.warmup_iterations,
           .traced = kTracedIterations});
  PointResult result{.scenario = scenario, .summary = {}, .members = {}, .environment = {}};
  result.members.resize(scenario.members());
  job.run([&](Worker& worker) {
    result.members[worker.group().rank] = run_member(experiment, worker);
  });
  result.summary =
      summarize(scenario, "simulated", scenario.platform, device_label(devices), result.members);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  result.environment = describe(engine, job, took.count());
  return result;
}

}  // namespace tandem
