#include "real/mpi/run_point.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/collectives/measure.h"
#include "core/record/memory_report.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/strategy.h"
#include "core/training/checkpoint/figures.h"
#include "real/mpi/agree.h"
#include "real/mpi/computing_device.h"
#include "real/mpi/cpu_load.h"
#include "real/mpi/due_failure.h"
#include "real/mpi/gather.h"
#include "real/mpi/machine.h"
#include "real/mpi/node_size.h"
#include "real/mpi/reduction.h"
#include "real/mpi/worker.h"
#include "real/paced/paced_device.h"

namespace tandem::mpi {
namespace {

void require_members(const Scenario& scenario, int ranks) {
  if (ranks == scenario.members()) return;
  throw InputError(
      fmt::format("scenario {} has {} members ({} workers, {} servers), but the job has {} {}; "
                  "start it with: mpirun -n {} tandem-run ...",
                  scenario.name, scenario.members(), scenario.workers, scenario.algorithm.servers(),
                  ranks, ranks == 1 ? "rank" : "ranks", scenario.members()));
}

/// What `collective: auto` goes by, where the scenario has it: measured by a worker of its own, so
/// that it counts in no result.
std::optional<NetworkFigures> figures(const Scenario& scenario,
                                      const std::function<void(std::exception_ptr)>& on_error) {
  if (!needs_network_figures(scenario)) return std::nullopt;
  constexpr std::size_t kAddedBytes = 1 << 20;
  const double adding_bandwidth = reduction_bandwidth(kAddedBytes);
  MpiWorker worker(MPI_COMM_WORLD);
  worker.set_patience(scenario.timeout);
  try {
    return measure_network(worker, scenario.algorithm.options, adding_bandwidth);
  } catch (...) {
    on_error(std::current_exception());
    throw;
  }
}

/// Gives a scenario that can use one, and has none, the node size of the job's hosts.
void derive_node_size(Scenario& scenario) {
  if (!wants_node_size(scenario)) return;
  scenario.algorithm.options.node_size = node_size(MPI_COMM_WORLD);
  if (needs_node_size(scenario))
    throw InputError(
        "the job's hosts have different numbers of ranks, or the ranks of one are apart, but "
        "hierarchical needs nodes of one size; place ranks host by host, or give "
        "algorithm.node_size");
}

/// As the scenario's faults say of this rank; the job began at `began` by the worker's clock.
void slow_down(MpiWorker& worker, const Scenario& scenario, Seconds began) {
  Slowness slowness;
  bool is_slow = false;
  for (const SlowSpec& slow : scenario.faults.slow) {
    if (slow.target.rank != worker.group().rank) continue;
    slowness.add(slow.factor, slow.window);
    is_slow = true;
  }
  if (is_slow) worker.slow_down(std::move(slowness), began);
}

/// Until the network is as faults have it when training begins. Returns when members began, in
/// seconds since 1970, from which faults count. Throws RunError where it is not so after
/// `patience`: who sees to it may be gone.
Seconds await_disturbances(const Journal& journal, Seconds patience) {
  constexpr std::chrono::milliseconds kLook{1};
  JournalReader reader(journal.file());
  std::optional<Seconds> began;
  bool is_disturbed = false;  // of a job that goes on, before its members begin
  for (const Seconds end = time_since_1970() + patience; time_since_1970() < end;) {
    for (const JournalEntry& entry : reader.read()) {
      if (entry.moment == JobMoment::kBegins) began = entry.at;
      is_disturbed = is_disturbed || entry.moment == JobMoment::kDisturbed;
    }
    if (began && is_disturbed) return *began;
    std::this_thread::sleep_for(kLook);
  }
  throw RunError(fmt::format(
      "after {} s nobody has disturbed the network as the scenario's faults say; is the "
      "job's launcher gone?",
      patience));
}

MemberResult live(Experiment& experiment, const DeviceTime& paced,
                  const MakeDeviceCollectives& collectives, const RunSettings& settings,
                  RunLoad& load) {
  const Scenario& scenario = experiment.scenario;
  MpiWorker worker(MPI_COMM_WORLD, scenario.traced_iterations().within(experiment.iterations),
                   paced);
  worker.set_patience(scenario.timeout);
  std::optional<DueFailure> failure;
  const int rank = worker.group().rank;
  experiment.tell = [&](JobMoment moment, int number, Seconds duration) {
    if (rank == 0) settings.journal.note(moment, number, duration);
    if (moment == JobMoment::kIterates) load.note_iterations(number);
    if (moment != JobMoment::kBegins) return;
    const Seconds begins = scenario.faults.befalls_network()
                               ? await_disturbances(settings.journal, scenario.timeout)
                               : time_since_1970();
    load.begin();
    const Seconds now = time_since_1970(), began = settings.job_began.value_or(begins);
    failure.emplace(scenario, rank, began, settings.journal);
    slow_down(worker, scenario, worker.now() - (now - began));
  };
  try {
    worker.set_devices(collectives);
    MemberResult result = run_member(experiment, worker);
    failure.reset();  // what strikes later strikes nobody in training
    worker.end();
    worker.align(result);
    return result;
  } catch (...) {
    settings.on_error(std::current_exception());
    throw;
  }
}

nlohmann::json environment(const Scenario& scenario, const std::vector<std::string>& hosts,
                           const ComputingDevice& device) {
  nlohmann::json environment = {{"mpi", mpi_version()},
                                {"cpu", cpu_model()},
                                {"cores", Session::processors()},
                                {"threads", scenario.threads},
                                {"hosts", hosts}};
  environment.update(device.about);
  return environment;
}

/// By rank, on rank 0.
std::vector<CpuUse> gather_uses(const CpuUse& own) {
  std::vector<CpuUse> uses;
  for (const std::string& text : gather(own.to_text(), MPI_COMM_WORLD))
    uses.push_back(CpuUse::from_text(text));
  return uses;
}

// By rank, beside rank 0's.
nlohmann::json describe_clocks(const std::vector<MemberResult>& members) {
  nlohmann::json clocks;
  for (const MemberResult& member : members) {
    clocks["ahead_s"].push_back(member.clock.ahead);
    clocks["drift"].push_back(member.clock.drift);
    clocks["uncertainty_s"].push_back(member.clock.uncertainty);
  }
  return clocks;
}

// Null where a share could not be told.
void describe_load(const std::optional<MachineLoad>& load, nlohmann::json& environment) {
  environment["cpu_busy_share"] = nullptr;
  if (load && load->timed_share) environment["cpu_busy_share"] = *load->timed_share;
  environment["cpu_others_share"] = load ? nlohmann::json(load->others_share) : nullptr;
  environment["cpu_stolen_share"] = load ? nlohmann::json(load->stolen_share) : nullptr;
}

// That a run went on, and what became of its checkpoints.
void describe_checkpoints(const Scenario& scenario, PointResult& result) {
  nlohmann::json& all = result.environment["checkpoints"];
  const MemberResult& first = result.members.front();
  all["folder"] = scenario.checkpoint->path.value_or("");
  if (scenario.checkpoint->resume) {
    all["resumed_after_iterations"] = *scenario.checkpoint->resume;
    all["iterations_recorded_from"] = first.first_iteration;
  }
  all["not_written"] = first.warnings;
  for (const std::string& warning : first.warnings)
    result.environment["warnings"].push_back(warning);
}

}  // namespace

PointResult run_point(const Scenario& scenario, const Session& session,
                      const RunSettings& settings) {
  require_members(scenario, session.size());
  const bool paced = scenario.is_paced();
  const ComputingDevice computing = paced ? ComputingDevice{} : computing_device(scenario);
  Experiment experiment = prepare_experiment(scenario, !paced, computing.make_network);
  experiment.mirrors = computing.mirrors;
  experiment.saves = !paced;
  experiment.share = settings.share;
  std::optional<PacedDevice> device;
  if (paced) device.emplace(scenario, experiment.graph);
  if (session.rank() == 0) experiment.progress = settings.progress;
  // A checkpoint may be found on some ranks only.
  if (paced || !agree(MPI_COMM_WORLD, resume_figures(experiment.scenario))) {
    derive_node_size(experiment.scenario);
    experiment.scenario.algorithm.network = figures(experiment.scenario, settings.on_error);
  }

  RunLoad load(scenario.warmup_iterations, experiment.iterations);
  MemberResult member = live(experiment, paced ? device->time() : DeviceTime{},
                             computing.collectives, settings, load);
  const CpuUse use = load.whole();
  member.process_peak_bytes = peak_memory_bytes();
  if (paced) member.peak_memory_bytes = 0;  // activations and the like are not there

  PointResult result{.scenario = scenario, .summary = {}, .members = {}, .environment = {}};
  const std::vector<std::string> members = gather(to_bytes(member), MPI_COMM_WORLD);
  const std::vector<std::string> hosts = gather(host_name(), MPI_COMM_WORLD);
  const std::vector<std::string> switches =
      gather(std::to_string(involuntary_switches()), MPI_COMM_WORLD);
  const std::vector<CpuUse> uses = gather_uses(use), timed_uses = gather_uses(load.timed());
  if (session.rank() > 0) return result;
  for (const std::string& bytes : members) result.members.push_back(member_from_bytes(bytes));
  const std::set<std::string> names(hosts.begin(), hosts.end());
  result.summary = summarize(scenario, "real", fmt::format("{}", fmt::join(names, "+")),
                             paced ? device->name() : computing.name, result.members);
  result.environment = environment(scenario, hosts, computing);
  if (paced) result.environment["device_profiles"] = device->profile();
  result.environment["clocks"] = describe_clocks(result.members);
  for (const std::string& count : switches)
    result.environment["involuntary_switches"].push_back(std::stoll(count));
  const std::vector<MachineLoad> loads = machine_loads(uses, timed_uses);
  describe_load(heaviest(loads), result.environment);
  for (const std::string& warning : load_warnings(loads))
    result.environment["warnings"].push_back(warning);
  if (scenario.checkpoint) describe_checkpoints(scenario, result);
  const auto collectives = collectives_of(experiment.scenario, experiment.graph);
  if (!collectives.empty()) result.environment["collectives"] = describe(collectives);
  result.environment["memory"] = describe_memory(experiment, result.members);
  return result;
}

}  // namespace tandem::mpi
