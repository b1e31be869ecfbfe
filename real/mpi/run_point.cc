#include "real/mpi/run_point.h"

#include <fmt/format.h>

#include <set>

#include "core/base/error.h"
#include "core/collectives/measure.h"
#include "core/record/memory_report.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/strategy.h"
#include "real/calibrate/reduction.h"
#include "real/cpu/network.h"
#include "real/mpi/gather.h"
#include "real/mpi/machine.h"
#include "real/mpi/onednn_version.h"
#include "real/mpi/worker.h"

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
  MpiWorker worker(MPI_COMM_WORLD, 0, 0);
  worker.set_patience(scenario.timeout);
  try {
    return measure_network(worker, scenario.algorithm.options, adding_bandwidth);
  } catch (...) {
    on_error(std::current_exception());
    throw;
  }
}

MemberResult live(const Experiment& experiment,
                  const std::function<void(std::exception_ptr)>& on_error) {
  MpiWorker worker(MPI_COMM_WORLD, experiment.scenario.warmup_iterations, kTracedIterations);
  worker.set_patience(experiment.scenario.timeout);
  try {
    MemberResult result = run_member(experiment, worker);
    worker.end();
    return result;
  } catch (...) {
    on_error(std::current_exception());
    throw;
  }
}

nlohmann::json environment(const Scenario& scenario, const std::vector<std::string>& hosts) {
  return {{"mpi", mpi_version()}, {"onednn", onednn_version()},  {"cpu", cpu_model()},
          {"cores", cores()},     {"threads", scenario.threads}, {"hosts", hosts}};
}

}  // namespace

PointResult run_point(const Scenario& scenario, const Session& session,
                      const std::function<void(int, int)>& progress,
                      const std::function<void(std::exception_ptr)>& on_error) {
  require_members(scenario, session.size());
  Experiment experiment = prepare_experiment(scenario, true, cpu_network(scenario.threads));
  if (session.rank() == 0) experiment.progress = progress;
  experiment.scenario.algorithm.network = figures(scenario, on_error);

  MemberResult member = live(experiment, on_error);
  member.process_peak_bytes = peak_memory_bytes();

  PointResult result{.scenario = scenario, .summary = {}, .members = {}, .environment = {}};
  std::vector<std::string> members = gather(to_json(member).dump(), MPI_COMM_WORLD);
  const std::vector<std::string> hosts = gather(host_name(), MPI_COMM_WORLD);
  if (session.rank() > 0) return result;
  for (std::string& json : members) {
    result.members.push_back(member_from_json(nlohmann::json::parse(json)));
  }
  const std::set<std::string> names(hosts.begin(), hosts.end());
  result.summary = summarize(scenario, "real", fmt::format("{}", fmt::join(names, "+")),
                             cpu_model(), result.members);
  result.environment = environment(scenario, hosts);
  const auto collectives = collectives_of(experiment.scenario, experiment.graph);
  if (!collectives.empty()) result.environment["collectives"] = describe(collectives);
  result.environment["memory"] = describe_memory(experiment, result.members);
  return result;
}

}  // namespace tandem::mpi
