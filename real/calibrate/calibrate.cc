#include "real/calibrate/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/network/calibration.h"
#include "core/strategies/gradient_buckets.h"
#include "real/calibrate/compute_loss.h"
#include "real/calibrate/message_times.h"
#include "real/calibrate/platform_file.h"
#include "real/calibrate/profile.h"
#include "real/mpi/check.h"
#include "real/mpi/eager_bytes.h"
#include "real/mpi/machine.h"
#include "real/mpi/reduction.h"
#include "real/mpi/tcp_streams.h"
#include "real/mpi/worker.h"

namespace tandem::mpi {
namespace {

using Progress = std::function<void(double share)>;

Progress part(const Progress& whole, double begin, double end) {
  return [=](double share) { whole(begin + (end - begin) * share); };
}

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
  const int processors = Session::processors();
  return fmt::format(
      "Measured on {} ({}, {} processor{}) on {:%Y-%m-%d}, two ranks at once, over {}.",
      host_name(), cpu_model(), processors, processors == 1 ? "" : "s",
      fmt::gmtime(std::time(nullptr)), mpi_version());
}

std::size_t gradient_bytes(const LayerGraph& graph) {
  return graph.parameter_elements() * sizeof(float);
}

/// What is added up at a time: a bucket, which holds a whole layer at least, here the mean one, and
/// all at most.
std::size_t bucket_bytes(const Scenario& scenario, const LayerGraph& graph) {
  const std::size_t all = gradient_bytes(graph);
  const std::size_t layer = all / std::max<std::size_t>(1, gradient_buckets(graph, 0).size());
  return std::clamp(scenario.algorithm.bucket_bytes, layer, all);
}

Bandwidths measure_bandwidths(const Scenario& scenario, const LayerGraph& graph, bool is_gpu) {
  constexpr std::size_t kBeyondCaches = 64UL << 20U;
  constexpr int kMovedPerByteAdded = 3;  // two reads and a write
  Bandwidths bandwidths{.reduction = reduction_bandwidth(bucket_bytes(scenario, graph))};
  if (!is_gpu) bandwidths.memory = kMovedPerByteAdded * reduction_bandwidth(kBeyondCaches);
  return bandwidths;
}

/// What the calibration knows where ranks share a host's memory. Both ranks come out with the same
/// costs.
void calibrate_memory(Calibration& calibration, Worker& worker, const Experiment* experiment,
                      const Progress& progress) {
  const std::size_t gradients = experiment == nullptr ? 0 : gradient_bytes(experiment->graph);
  calibration.all_reduce = measure_all_reduces(worker, gradients, part(progress, 0, 0.3));
  calibration.in_memory = fit_message_costs(calibration.all_reduce);
  if (experiment == nullptr) return;
  const std::size_t bytes = bucket_bytes(experiment->scenario, experiment->graph);
  calibration.compute_lost = measure_compute_loss(
      *experiment, worker, {gradients, bytes, calibration.in_memory.time(bytes)},
      part(progress, 0.3, 1));
}

/// This job's samples and the widest window, since that depends on how large the packets were
/// before.
Calibration measure_network(MpiWorker& worker, const MessagePlan& plan, const Progress& progress) {
  const bool has_wire = !worker.shares_memory_with_all();
  std::size_t window = 0;
  MessageTimes times = measure_messages(worker, plan, [&](double share) {
    if (has_wire) window = std::max(window, window_bytes());
    progress(share);
  });
  Calibration calibration;
  calibration.source = source();
  calibration.eager_bytes = plan.eager_bytes;
  calibration.train_bytes = has_wire ? train_bytes() : 0;
  calibration.window_bytes = window;
  calibration.one_way = std::move(times.one_way);
  calibration.exchange = std::move(times.exchange);
  calibration.sending = std::move(times.sending);
  calibration.one_way_asleep = std::move(times.asleep);
  calibration.pairs = std::move(times.pairs);
  return calibration;
}

/// What other jobs measured. Throws InputError naming a file in which an exchange is missing.
std::vector<Calibration> load_others(const std::vector<std::filesystem::path>& files) {
  std::vector<Calibration> others;
  for (const std::filesystem::path& file : files) {
    others.push_back(Calibration::load(file));
    if (others.back().exchange.empty())
      throw InputError(
          fmt::format("{}: has no samples of an exchange, so that there are no medians of it and "
                      "this job's; give a file of --calibrate-messages alone",
                      file.string()));
  }
  return others;
}

/// Has `calibration`'s samples be the medians of its own job and others, and its window the widest.
void take_in(Calibration& calibration, const std::vector<Calibration>& others) {
  for (std::vector<MessageSample> Calibration::*samples :
       {&Calibration::one_way, &Calibration::exchange, &Calibration::sending,
        &Calibration::one_way_asleep, &Calibration::pairs}) {
    std::vector<std::vector<MessageSample>> jobs{calibration.*samples};
    for (const Calibration& other : others) jobs.push_back(other.*samples);
    // Of slow wires one may have measured fewer sizes than another, all of them from the least on.
    const std::size_t common = std::ranges::min(jobs, {}, &std::vector<MessageSample>::size).size();
    for (std::vector<MessageSample>& job : jobs) job.resize(common);
    calibration.*samples = medians_of(jobs);
  }
  for (const Calibration& other : others)
    calibration.window_bytes = std::max(calibration.window_bytes, other.window_bytes);
}

/// Rank 0's is the one to keep. `experiment` is null of devices that don't compute.
Calibration calibrate_network(const Experiment* experiment, const std::vector<Calibration>& others,
                              const Progress& progress) {
  constexpr std::size_t kAdded = 4UL << 20U;
  const double adding_bandwidth = reduction_bandwidth(kAdded);
  const std::size_t eager = eager_bytes();
  MpiWorker worker(MPI_COMM_WORLD);
  const MessagePlan plan{.rounds = others.empty() ? kRounds : 1, .eager_bytes = eager};
  Calibration calibration = measure_network(worker, plan, part(progress, 0, 0.5));
  calibration.adding_bandwidth = adding_bandwidth;
  if (!calibration.exchange.empty()) {
    take_in(calibration, others);
    calibration.messages = fit_message_costs(calibration.samples_to_fit());
  }
  if (worker.shares_memory_with_all())
    calibrate_memory(calibration, worker, experiment, part(progress, 0.5, 1));
  return calibration;
}

/// By the ranks that are the first to use their device; others have no profile, since two at once
/// on one GPU take twice as long.
std::optional<DeviceProfile> measure_device(const Experiment& running, const ComputingDevice& timed,
                                            const Progress& progress) {
  MPI_Comm users = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_COMM_WORLD, timed.is_first_user ? 0 : MPI_UNDEFINED, 0, &users),
        "MPI_Comm_split");
  std::optional<DeviceProfile> profile;
  if (users != MPI_COMM_NULL) {
    Experiment each_timed = running;
    each_timed.make_network = timed.make_network;
    each_timed.mirrors = timed.mirrors;
    TrainingTimes times = measure_training(each_timed, users, progress);
    const Scenario& scenario = running.scenario;
    const bool is_gpu = scenario.device == "cuda";
    if (is_gpu) fit_to_running(times, running, users);
    const Bandwidths bandwidths = measure_bandwidths(scenario, running.graph, is_gpu);
    const std::string& precision = scenario.precision.name;  // which a GPU's times hang on
    profile =
        make_profile(is_gpu ? fmt::format("{}_cuda_{}", host_name(), precision) : host_name(),
                     is_gpu ? fmt::format("{}, {}. {}", timed.name, precision, source()) : source(),
                     running.graph, scenario.batch_size, times, bandwidths);
    check(MPI_Comm_free(&users), "MPI_Comm_free");
  }
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return profile;
}

/// Only rank 0's is shown.
Progress of_rank(const Session& session, const std::function<void(int, int)>& progress) {
  return [writes = session.rank() == 0, progress](double share) {
    if (writes) progress(static_cast<int>(100 * share), 100);
  };
}

}  // namespace

void calibrate(const ScenarioFile& scenarios, const ComputingDevice& timed,
               const ComputingDevice& running, const Session& session,
               const std::vector<std::filesystem::path>& others,
               const std::filesystem::path& folder, const std::function<void(int, int)>& progress) {
  require_two_ranks(session.size());
  const bool writes = session.rank() == 0;
  if (writes) require_writable_folder(folder);
  const std::vector<Calibration> of_others = load_others(others);
  const Progress report = of_rank(session, progress);
  const Scenario& scenario = scenarios.points.at(0);
  std::optional<DeviceProfile> profile;
  std::optional<Experiment> experiment;
  if (!scenario.is_paced()) {
    experiment = prepare_experiment(scenario, true, running.make_network);
    experiment->mirrors = running.mirrors;
    profile = measure_device(*experiment, timed, part(report, 0.05, 0.4));
  }
  const Calibration network =
      calibrate_network(experiment ? &*experiment : nullptr, of_others, part(report, 0.4, 1));
  if (!writes) return;
  require_bandwidth(network.in_memory, "all-reduces in this host's memory");
  const NominalLink link = nominal_link(network.messages);

  if (profile) {
    std::filesystem::create_directories(folder / "devices");
    profile->save(folder / "devices" / (profile->name + ".yaml"));
  }
  write_file_atomically(folder / kCalibrationFile, network.text());
  write_file_atomically(
      folder / "platform.xml",
      platform_xml({.host = host_name(),
                    .hosts = std::max(most_members(scenarios), Session::processors()),
                    .host_flops = profile ? profile->peak_flops : 1e9,
                    .device = profile ? profile->name : "",
                    .source = source(),
                    .link = link,
                    .calibration = kCalibrationFile}));
}

void calibrate_messages(const Session& session, const std::filesystem::path& file,
                        std::optional<std::size_t> one_way_up_to,
                        const std::function<void(int, int)>& progress) {
  require_two_ranks(session.size());
  const bool writes = session.rank() == 0;
  if (writes) require_writable_folder(std::filesystem::absolute(file).parent_path());
  const std::size_t eager = eager_bytes();
  MpiWorker worker(MPI_COMM_WORLD);
  Calibration calibration;
  calibration.source = source();
  if (!worker.shares_memory_with_all())
    calibration = measure_network(worker,
                                  {.rounds = 1,
                                   .eager_bytes = eager,
                                   .largest = one_way_up_to.value_or(kLargestMessage),
                                   .only_one_way = one_way_up_to.has_value()},
                                  of_rank(session, progress));
  if (writes) write_file_atomically(file, calibration.text());
}

}  // namespace tandem::mpi
