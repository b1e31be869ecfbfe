#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/model/custom.h"
#include "core/platform/topology_xml.h"
#include "core/record/json_number.h"
#include "core/record/memory_report.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/memory_use.h"
#include "core/strategies/strategy.h"
#include "core/training/experiment.h"
#include "sim/devices.h"
#include "sim/job.h"
#include "sim/network_figures.h"
#include "sim/placement.h"
#include "sim/platform_facts.h"
#include "sim/server_bandwidth.h"
#ifdef TANDEM_CPU
#include "real/cpu/network.h"
#endif

namespace tandem {
namespace {

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

/// Those that a topology has to be built with.
int most_hosts(std::span<const Scenario> points) {
  int most = 0;
  for (const Scenario& point : points) most = std::max(most, std::ranges::max(point.hosts()) + 1);
  return most;
}

Engine load_platform(const Scenario& scenario, int hosts) {
  const Depth depth = scenario.simulation.depth;
  if (!scenario.topology) return {scenario.platform_file(), depth};
  return {BuiltPlatform{scenario.platform, topology_xml(*scenario.topology, hosts)}, depth};
}

/// What `collective: auto` goes by, where the scenario has it.
std::optional<NetworkFigures> figures(const Scenario& scenario, const Engine& engine,
                                      const std::vector<int>& hosts,
                                      const std::vector<MemberDevice>& devices) {
  if (!needs_network_figures(scenario)) return std::nullopt;
  Fabric fabric(engine, engine.place(scenario.members(), hosts));
  return platform_figures(fabric, scenario.algorithm.options, [&](int rank, std::size_t bytes) {
    return devices[rank].adding_time(bytes);
  });
}

nlohmann::json describe(const Engine& engine, const Job& job,
                        const std::vector<HostDevice>& devices, double seconds) {
  nlohmann::json environment = engine.describe();
  environment["device_profiles"] = profile_texts(engine, devices);
  environment["executor"] = job.executor().kind == ExecutorKind::kFused ? "fused" : "exact";
  environment["executor_reason"] = job.executor().reason;
  environment["platform_file"] = engine.platform().string();
  environment["platform_fnv1a"] = fnv1a_hex(std::as_bytes(std::span(engine.xml())));
  environment["messages"] = job.messages();
  environment["simulated_seconds"] = simgrid::s4u::Engine::get_clock();
  environment["real_seconds"] = seconds;
  return environment;
}

nlohmann::json describe(const AllReduceBound& bound, double bytes) {
  const Seconds time = bound.time(bytes);
  return {{"bytes", bytes},
          {"seconds", time},
          {"bytes_per_s", json_number(bytes / time)},
          {"limit", bound.limit(bytes)}};
}

/// By rank: the lines of a host file that places real ranks so.
nlohmann::json host_names(const Engine& engine, const std::vector<int>& hosts) {
  nlohmann::json names = nlohmann::json::array();
  for (const int host : hosts) names.push_back(engine.hosts()[host]->get_name());
  return names;
}

/// The scenario's compute_factor holds for every host.
std::vector<HostDevice> devices_of(const Scenario& scenario, const Engine& engine,
                                   const std::vector<int>& hosts) {
  auto devices = host_devices(engine, engine.place(scenario.members(), hosts), scenario.device);
  for (HostDevice& device : devices) device.speed *= scenario.simulation.compute_factor;
  return devices;
}

/// "k80", or "k80 x2" for what computes twice as fast as a k80 does.
std::string label_of(const Scenario& scenario, const std::vector<HostDevice>& devices) {
  const double factor = scenario.simulation.compute_factor;
  const std::string label = device_label({devices.begin(), devices.begin() + scenario.workers});
  return factor == 1 ? label : fmt::format("{} x{}", label, factor);
}

/// Throws InputError where the point can't be run; else PointCheck::inputs.
std::string check_point(const Engine& engine, Scenario point) {
  const std::vector<int> hosts = member_hosts(engine, point);
  const auto devices = devices_of(point, engine, hosts);
  require_routes(engine, hosts, point);
  derive_node_size(engine, hosts, point);
  const LayerGraph graph = build_model(point.model);
  const auto members = member_devices(engine, devices, graph, point.pass_batch_size(), point.seed);
  point.algorithm.network = figures(point, engine, hosts, members);
  require_memory(point, WorkerMemory(point, graph), devices, members);
  // A topology is in the scenario; how many hosts of it were built depends on the other points.
  std::string inputs = (point.topology ? "" : engine.xml()) + engine.calibration().text();
  for (const auto& [name, text] : profile_texts(engine, devices)) inputs += name + "\n" + text;
  return fnv1a_hex(std::as_bytes(std::span(inputs)));
}

/// Its buffers as they were counted, and what the memory model adds to them. A worker's network and
/// what a collective has still to add are no buffers of a run that models sizes.
std::uint64_t predicted_peak(const MemberResult& member, const MemoryUse& use) {
  return member.held_peak_bytes + static_cast<std::uint64_t>(use.activations + use.buffers);
}

}  // namespace

std::vector<PointCheck> check_points(const std::vector<Scenario>& points) {
  const Engine engine = load_platform(points.at(0), most_hosts(points));
  std::vector<PointCheck> checks;
  for (const Scenario& point : points) {
    try {
      checks.push_back({.inputs = check_point(engine, point), .error = ""});
    } catch (const InputError& error) {
      checks.push_back({.inputs = "", .error = error.what()});
    }
  }
  return checks;
}

PointResult simulate(const Scenario& scenario, const std::function<void(int, int)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const Depth depth = scenario.simulation.depth;
  Experiment experiment =
      prepare_experiment(scenario, depth == Depth::kPayload, payload_network(scenario));
  experiment.progress = progress;

  Engine engine = load_platform(scenario, most_hosts({&scenario, 1}));
  engine.scale_links(scenario.simulation.bandwidth_factor, scenario.simulation.latency_factor);
  const std::vector<int> hosts = member_hosts(engine, scenario);
  const auto devices = devices_of(scenario, engine, hosts);
  const auto members =
      member_devices(engine, devices, experiment.graph, scenario.pass_batch_size(), scenario.seed);
  derive_node_size(engine, hosts, experiment.scenario);
  experiment.scenario.algorithm.network = figures(experiment.scenario, engine, hosts, members);
  const WorkerMemory memory(experiment.scenario, experiment.graph);
  require_memory(experiment.scenario, memory, devices, members);
  const auto collectives = collectives_of(experiment.scenario, experiment.graph);
  Job job(engine, {.depth = depth,
                   .executor = scenario.simulation.executor,
                   .devices = members,
                   .hosts = hosts,
                   .starts_together = alike(devices) && starts_together(scenario),
                   .collectives = collectives,
                   .first_traced = scenario.warmup_iterations,
                   .traced = kTracedIterations});
  PointResult result{.scenario = scenario, .summary = {}, .members = {}, .environment = {}};
  result.members.resize(scenario.members());
  job.run([&](Worker& worker) {
    MemberResult& member = result.members[worker.group().rank];
    member = run_member(experiment, worker);
    if (!member.is_server)
      member.peak_memory_bytes = predicted_peak(member, memory.of(member.rank));
  });
  require_peaks(scenario, result.members, devices, members);
  result.summary = summarize(scenario, "simulated", scenario.platform, label_of(scenario, devices),
                             result.members);
  const auto bound = all_reduce_bound(engine, hosts, scenario);
  const auto gradient_bytes = static_cast<double>(experiment.graph.parameter_elements() *
                                                  size_of(scenario.precision.dtype()));
  if (bound) result.summary.all_reduce_bound_s = bound->time(gradient_bytes);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  result.environment = describe(engine, job, devices, took.count());
  if (bound) result.environment["all_reduce_bound"] = describe(*bound, gradient_bytes);
  if (!std::ranges::is_sorted(hosts)) result.environment["hosts"] = host_names(engine, hosts);
  if (const auto& node_size = experiment.scenario.algorithm.options.node_size)
    result.environment["node_size"] = *node_size;
  if (!collectives.empty()) result.environment["collectives"] = describe(collectives);
  result.environment["memory"] = describe_memory(experiment, result.members);
  if (const auto warning = server_bandwidth_warning(engine, hosts, scenario)) {
    result.environment["warning"] = *warning;
  }
  return result;
}

}  // namespace tandem
