#include "real/calibrate/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/network/calibration.h"
#include "real/calibrate/message_times.h"
#include "real/calibrate/platform_file.h"
#include "real/calibrate/profile.h"
#include "real/cpu/network.h"
#include "real/mpi/eager_bytes.h"
#include "real/mpi/machine.h"
#include "real/mpi/reduction.h"
#include "real/mpi/worker.h"

namespace tandem::mpi {
namespace {

void require_two_ranks(int ranks) {
  if (ranks == 2) return;
  throw InputError(
      fmt::format("calibration measures messages between two ranks, but the job has {}; start it "
                  "with: mpirun -n 2 tandem-run ... --calibrate FOLDER",
                  ranks));
}

/// One calibration serves all points of a sweep.
int most_members(const ScenarioFile& scenarios) {
  int most = 1;
  for (const Scenario& point : scenarios.points) most = std::max(most, point.members());
  return most;
}

std::string source() {
  return fmt::format("Measured on {} ({}, {} cores) on {:%Y-%m-%d}, two ranks at once, over {}.",
                     host_name(), cpu_model(), cores(), fmt::gmtime(std::time(nullptr)),
                     mpi_version());
}

Bandwidths measure_bandwidths(const Scenario& scenario, const LayerGraph& graph) {
  const std::size_t bucket =
      std::min(scenario.algorithm.bucket_bytes, graph.parameter_elements() * sizeof(float));
  constexpr std::size_t kBeyondCaches = 64UL << 20U;
  constexpr int kMovedPerByteAdded = 3;  // two reads and a write
  return {.reduction = reduction_bandwidth(bucket),
          .memory = kMovedPerByteAdded * reduction_bandwidth(kBeyondCaches)};
}

Calibration calibrate_network(const std::function<void(double)>& progress) {
  constexpr Seconds kBudget = 0.3;  // a size and way
  constexpr std::size_t kAdded = 4UL << 20U;
  const double adding_bandwidth = reduction_bandwidth(kAdded);
  const std::size_t eager = eager_bytes();
  MpiWorker worker(MPI_COMM_WORLD);
  MessageTimes times = measure_messages(worker, kBudget, progress);
  if (times.exchange.empty()) return {};
  return {.source = source(),
          .messages = fit_message_costs(times.exchange),
          .eager_bytes = eager,
          .adding_bandwidth = adding_bandwidth,
          .one_way = std::move(times.one_way),
          .exchange = std::move(times.exchange)};
}

}  // namespace

void calibrate(const ScenarioFile& scenarios, const Session& session,
               const std::filesystem::path& folder, const std::function<void(int, int)>& progress) {
  require_two_ranks(session.size());
  const bool writes = session.rank() == 0;
  if (writes) require_writable_folder(folder);
  const auto report = [&](double begin, double end) {
    return [=, &progress](double share) {
      if (writes) progress(static_cast<int>(begin + (end - begin) * share), 100);
    };
  };
  const Scenario& scenario = scenarios.points.at(0);
  std::optional<DeviceProfile> profile;
  if (!scenario.is_paced()) {
    const Experiment experiment = prepare_experiment(scenario, true, cpu_network(scenario.threads));
    const TrainingTimes times = measure_training(experiment, report(5, 50));
    profile = make_profile(host_name(), source(), experiment.graph, scenario.batch_size, times,
                           measure_bandwidths(scenario, experiment.graph));
  }
  const Calibration network = calibrate_network(report(50, 100));
  if (!writes) return;

  if (profile) {
    std::filesystem::create_directories(folder / "devices");
    profile->save(folder / "devices" / (profile->name + ".yaml"));
  }
  write_file_atomically(folder / kCalibrationFile, network.text());
  write_file_atomically(folder / "platform.xml",
                        platform_xml({.host = host_name(),
                                      .hosts = std::max(most_members(scenarios), cores()),
                                      .host_flops = profile ? profile->peak_flops : 1e9,
                                      .device = profile ? profile->name : "",
                                      .source = source(),
                                      .link = nominal_link(network.messages),
                                      .calibration = kCalibrationFile}));
}

}  // namespace tandem::mpi
