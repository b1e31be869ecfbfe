#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/device_name.h"
#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/record/alike_members.h"
#include "core/record/json_number.h"
#include "core/record/memory_report.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/memory_use.h"
#include "core/strategies/strategy.h"
#include "core/training/experiment.h"
#include "sim/cast.h"
#include "sim/faults/faults.h"
#include "sim/folding.h"
#include "sim/job.h"
#include "sim/platform_facts.h"
#include "sim/server_bandwidth.h"
#include "sim/used_network.h"
#include "sim/wired_links.h"
#include "sim/without_effect.h"
#ifdef TANDEM_CPU
#include "real/cpu/network.h"
#endif

namespace tandem {
namespace {

NetworkFactory payload_network(const Scenario& scenario) {
  if (scenario.simulation.depth == Depth::kSizes) return {};
#ifdef TANDEM_CPU
  return cpu_network(scenario.threads, factors_of_products(scenario.precision));
#else
  throw InputError(
      "simulation.depth: payload needs the CPU device, which this build was configured without; "
      "use depth: sizes, or build with -DTANDEM_CPU=ON");
#endif
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

std::string label_of(const Scenario& scenario, const Cast& cast, int workers) {
  return with_factor(device_label({cast.devices.begin(), cast.devices.begin() + workers}),
                     scenario.simulation.compute_factor);
}

bool is_traced(const Scenario& scenario, int rank) {
  return (is_server(scenario, rank) ? rank - scenario.workers : rank) < scenario.trace.members;
}

std::uint64_t messages_of(const std::vector<MemberResult>& members) {
  std::uint64_t messages = 0;
  for (const MemberResult& member : members) messages += member.traffic.sent_messages;
  return messages;
}

/// Its buffers as they were counted, and what the memory model adds to them. A worker's network and
/// what a collective has still to add are no buffers of a run that models sizes.
std::uint64_t predicted_peak(const MemberResult& member, const MemoryUse& use) {
  return member.held_peak_bytes + static_cast<std::uint64_t>(use.activations + use.buffers);
}

/// Of a platform whose hosts are all alike, no more of which are made than that.
std::size_t hosts_needed(const Scenario& scenario, const ShortCuts& short_cuts) {
  return short_cuts.folds() ? folded_hosts(scenario) : hosts_of(scenario);
}

bool start_together(const Cast& cast) {
  return alike(cast.devices) && std::ranges::none_of(cast.members, [](const MemberDevice& member) {
           return member.varies || member.slowness;
         });
}

Places places_of(const Scenario& scenario, const ShortCuts& short_cuts) {
  if (!short_cuts.folds()) return Places(scenario.members());
  return Places::folded(scenario.workers, scenario.algorithm.servers());
}

std::vector<MemberResult> run_members(Job& job, const Experiment& experiment,
                                      const Places& places) {
  const WorkerMemory memory(experiment.scenario, experiment.graph);
  std::vector<MemberResult> members(places.count());
  job.run([&](Worker& worker) {
    const int rank = worker.group().rank;
    MemberResult& member = members[places.place(rank)];
    member = run_member(experiment, worker);
    member.count = worker.stands_for(rank);
    if (!member.is_server)
      member.peak_memory_bytes = predicted_peak(member, memory.of(member.rank));
  });
  return members;
}

/// What a simulation was made of.
struct Stage {
  Engine& engine;
  const Cast& cast;
  const Experiment& experiment;
  const ShortCuts& short_cuts;
  const std::vector<int>& hosts;  ///< of the members, of folded ones too
  Job& job;
};

/// What it was, for run.json, whose real run took `seconds`.
nlohmann::json describe(const Stage& stage, double seconds) {
  const auto& [engine, cast, experiment, short_cuts, hosts, job] = stage;
  const Scenario& scenario = experiment.scenario;
  nlohmann::json environment = engine.describe();
  environment["device_profiles"] = profile_texts(engine, cast.devices);
  environment["executor"] = job.executor().kind == ExecutorKind::kFused ? "fused" : "exact";
  environment["executor_reason"] = job.executor().reason;
  environment["messages_go"] = job.goes_by_trains() ? "in trains of packets" : "as flows";
  environment["platform_file"] = engine.platform().string();
  environment["platform_fnv1a"] = fnv1a_hex(std::as_bytes(std::span(engine.xml())));
  environment["events"] = job.events();
  environment["real_seconds"] = seconds;
  describe(short_cuts, scenario.workers, environment);
  const bool may_fail = std::ranges::any_of(
      scenario.faults.fail, [](const FailSpec& fail) { return fail.target.host.has_value(); });
  if (may_fail || !std::ranges::is_sorted(hosts)) environment["hosts"] = host_names(engine, hosts);
  if (const auto& node_size = scenario.algorithm.options.node_size)
    environment["node_size"] = *node_size;
  if (const auto warning =
          device_warning(engine, cast.devices, experiment.graph, scenario.pass_batch_size()))
    environment["warnings"].push_back(*warning);
  return environment;
}

/// What it came to besides times: messages, memory, and what of it all had no effect.
void describe_outcome(const Stage& stage, const std::vector<MemberResult>& members,
                      Seconds simulated, nlohmann::json& environment) {
  const auto& [engine, cast, experiment, short_cuts, hosts, job] = stage;
  environment["messages"] = messages_of(members);
  environment["simulated_seconds"] = simulated;
  environment["memory"] = describe_memory(experiment, members);
  environment["without_effect"] =
      keys_without_effect(engine, experiment.scenario, cast, job.loads(), simulated, members);
  if (short_cuts.folds()) {
    environment["links_reason"] = "not recorded: workers are folded";
  } else {
    if (has_too_many_hosts(cast.hosts, members.size()))
      environment["topology_reason"] =
          fmt::format("not recorded: the members take more than {} hosts", kMostWiredHosts);
    environment["platform_without_effect"] = platform_without_effect(engine, cast, job.loads());
    environment["network"] = used_network(engine, cast.hosts, members);
  }
}

double gradient_bytes(const Experiment& experiment) {
  return static_cast<double>(experiment.graph.parameter_elements() *
                             size_of(experiment.scenario.precision.dtype()));
}

/// Puts in the iterations that were left out. Returns the time that they take.
Seconds go_on(std::vector<MemberResult>& members, const SteadyState& steady) {
  if (!is_steady(members, steady))
    throw ShortCutFailed(ShortCut::kExtrapolation, "iterations do not repeat themselves");
  const Seconds before = members.front().iterations.back().end;
  extrapolate(members, steady);
  return members.front().iterations.back().end - before;
}

/// Whether the workers do, for messages. They always do a little, as for the last gradients, when
/// no computation is left to hide that; where it is a hundredth of an iteration at most, wider
/// links could save no more.
bool waits(const Summary& summary) {
  constexpr double kWorthSaving = 0.01;
  return summary.exposed_communication_s.value_or(0) >
         kWorthSaving * summary.iteration_s.value_or(0);
}

}  // namespace

PointResult simulate(const Scenario& scenario, const std::function<void(int, int)>& progress,
                     const RefusedShortCuts& refused, const Segment& segment) {
  const auto begin = std::chrono::steady_clock::now();
  const Depth depth = scenario.simulation.depth;
  Experiment experiment =
      prepare_experiment(scenario, depth == Depth::kPayload, payload_network(scenario));
  experiment.progress = progress;
  const Scenario whole = whole_job(scenario, segment);
  const BuiltPlatform platform = platform_of({&whole, 1});
  const ShortCuts short_cuts = take_short_cuts(experiment, platform.xml, refused);
  if (short_cuts.steady) experiment.iterations = short_cuts.steady->iterations;

  // Faults may name what no member uses.
  const auto cluster = scenario.faults.names_platform() ? std::nullopt : short_cuts.cluster;
  Engine engine = load_platform(scenario, platform, cluster, hosts_needed(whole, short_cuts));
  engine.scale_links(scenario.simulation.bandwidth_factor, scenario.simulation.latency_factor);
  const Places places = places_of(scenario, short_cuts);
  require_fault_places(engine, scenario.faults);
  NetworkFaults network_faults(engine, scenario, segment);
  const Cast cast = cast_of(engine, scenario, experiment.graph, places, segment);
  require_short_cuts(short_cuts, scenario, engine, cast.members);
  if (!short_cuts.folds()) derive_node_size(engine, cast.hosts, experiment.scenario);
  experiment.scenario.algorithm.network = figures_of(experiment.scenario, engine, cast);
  require_memory(experiment.scenario, WorkerMemory(experiment.scenario, experiment.graph),
                 cast.devices, cast.members);
  // As the platform is: a folded job's has wider links, and faults come and go.
  const std::vector<int> hosts = short_cuts.folds() ? scenario.hosts() : cast.hosts;
  const auto bound = all_reduce_bound(engine, hosts, scenario, cluster.has_value());
  const auto server_warning =
      server_bandwidth_warning(scenario, engine.place(places.count(), cast.hosts), places);
  const auto collectives = collectives_of(experiment.scenario, experiment.graph);
  Job job(engine,
          {.depth = depth,
           .executor = scenario.simulation.executor,
           .devices = cast.members,
           .hosts = cast.hosts,
           .folded = short_cuts.folds() ? std::optional(places) : std::nullopt,
           .circumstances = {.start_together = start_together(cast) && starts_together(scenario),
                             .only_collectives = meets_in_collectives(scenario),
                             .disturbance = disturbance_of(engine, scenario.faults, cast.members),
                             .failure = refused.fusing},
           .seed = segment_seed(scenario, segment),
           .by_trains = scenario.simulation.trains,
           .collectives = collectives,
           .traced = scenario.traced_iterations().within(experiment.iterations),
           .traces_rounds = scenario.trace.rounds,
           .is_traced = [&](int rank) { return is_traced(scenario, rank); }});
  network_faults.start(job);
  PointResult result{.scenario = scenario, .summary = {}, .members = {}, .environment = {}};
  result.members = run_members(job, experiment, places);
  Seconds simulated = simgrid::s4u::Engine::get_clock();
  if (!short_cuts.folds()) {
    result.links = job.loads().usage(simulated);
    result.links.wired =
        wired_links(engine, cast.hosts, result.members.size(), job.loads(), simulated);
  }
  require_peaks(scenario, result.members, cast.devices, cast.members);
  merge_alike(result.members);
  if (short_cuts.steady) simulated += go_on(result.members, *short_cuts.steady);
  const int workers = short_cuts.folds() ? 1 : scenario.workers;
  result.summary = summarize(scenario, "simulated", scenario.platform,
                             label_of(scenario, cast, workers), result.members);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const Stage stage{engine, cast, experiment, short_cuts, hosts, job};
  result.environment = describe(stage, took.count());
  describe_outcome(stage, result.members, simulated, result.environment);
  if (bound) {
    const double bytes = gradient_bytes(experiment);
    result.summary.all_reduce_bound_s = bound->time(bytes);
    result.environment["all_reduce_bound"] = describe(*bound, bytes);
  }
  if (!collectives.empty()) result.environment["collectives"] = describe(collectives);
  if (server_warning && waits(result.summary))
    result.environment["warnings"].push_back(*server_warning);
  return result;
}

}  // namespace tandem
