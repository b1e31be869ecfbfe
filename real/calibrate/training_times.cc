#include "real/calibrate/training_times.h"

#include <mpi.h>

#include <algorithm>

#include "core/base/median.h"
#include "core/base/quantile.h"
#include "real/calibrate/timing_worker.h"
#include "real/mpi/check.h"

namespace tandem::mpi {
namespace {

constexpr int kFewestIterations = 30;
constexpr int kMostIterations = 500;
constexpr Seconds kBudget = 10;

/// How often an experiment is repeated.
struct Plan {
  int warmup = 3;  ///< of `iterations`
  int iterations = warmup + kFewestIterations;
};

double largest_of_ranks(double value, MPI_Comm comm) {
  double largest = 0;
  check(MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return largest;
}

void average_over_ranks(std::vector<double>& values, MPI_Comm comm) {
  int ranks = 1;
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                      MPI_SUM, comm),
        "MPI_Allreduce");
  for (double& value : values) value /= ranks;
}

/// Each rank's as factors of its own median, so that a faster rank is not taken for spread.
Spread spread_over_ranks(std::vector<Seconds> iterations, int warmup, MPI_Comm comm) {
  iterations.erase(iterations.begin(), iterations.begin() + warmup);
  const Seconds middle = median(iterations);
  for (Seconds& time : iterations) time /= middle;
  int ranks = 1;
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const auto count = static_cast<int>(iterations.size());
  std::vector<double> all(iterations.size() * ranks);
  check(MPI_Allgather(iterations.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm),
        "MPI_Allgather");
  return Spread::of(std::move(all));
}

/// The median of what comes after warm-up.
Seconds settled(const std::vector<Seconds>& samples, int warmup) {
  return median({samples.begin() + warmup, samples.end()});
}

double spread_of(const std::vector<Seconds>& samples, int warmup) {
  std::vector<Seconds> counted(samples.begin() + warmup, samples.end());
  std::ranges::sort(counted);
  const Seconds middle = median(counted);
  return middle > 0
             ? (quantile_of_sorted(counted, 0.75) - quantile_of_sorted(counted, 0.25)) / middle
             : 0;
}

std::vector<Seconds> iteration_times(const Recorder& recorder) {
  std::vector<Seconds> times;
  for (const IterationRecord& record : recorder.iterations()) {
    times.push_back(record.end - record.begin);
  }
  return times;
}

// From the same iteration each, so that what holds up a kernel is not taken for time between them.
std::vector<Seconds> times_between_kernels(const Recorder& recorder) {
  std::vector<Seconds> times;
  for (const IterationRecord& record : recorder.iterations()) {
    times.push_back(record.end - record.begin - record.compute);
  }
  return times;
}

/// All ranks begin together.
void train(Experiment& experiment, TimingWorker& worker, MPI_Comm comm) {
  check(MPI_Barrier(comm), "MPI_Barrier");
  run_member(experiment, worker);
}

/// As many as fill the budget. Of long ones, of which the fewest would take minutes, fewer yet.
Plan plan_for(Experiment& experiment, MPI_Comm comm) {
  constexpr Seconds kLong = 2, kLongBudget = 40;
  constexpr int kFewestLong = 5;
  TimingWorker worker;
  experiment.iterations = 2;  // the second is like the others, nearly
  train(experiment, worker, comm);
  const Seconds iteration = largest_of_ranks(iteration_times(worker.record()).back(), comm);
  const auto fill = [&](Seconds budget) { return static_cast<int>(budget / iteration); };
  const int timed =
      std::clamp(fill(kBudget), std::clamp(fill(kLongBudget), kFewestLong, kFewestIterations),
                 kMostIterations);
  const int warmup = iteration < kLong ? 3 : 1;
  return {.warmup = warmup, .iterations = warmup + timed};
}

}  // namespace

Experiment by_itself(const Experiment& experiment) {
  Experiment single = experiment;
  single.scenario.workers = 1;
  single.scenario.algorithm.name = "none";
  single.scenario.synchronize_batch_norm = false;
  single.scenario.backward_passes_per_step = 1;
  single.scenario.evaluate_every.reset();
  auto data = std::make_shared<DataSplits>(*experiment.data);
  data->test = {
      .shape = data->test.shape, .classes = data->test.classes, .images = {}, .labels = {}};
  single.data = std::move(data);
  return single;
}

TrainingTimes measure_training(const Experiment& experiment, MPI_Comm ranks,
                               const std::function<void(double)>& progress) {
  Experiment single = by_itself(experiment);
  single.progress = {};
  const Plan plan = plan_for(single, ranks);
  single.iterations = plan.iterations;
  single.progress = [&](int done, int total) { progress(static_cast<double>(done) / total); };
  TimingWorker worker;
  train(single, worker, ranks);

  std::vector<double> times = {settled(times_between_kernels(worker.record()), plan.warmup)};
  for (const KernelSamples& each : worker.kernels()) {
    times.push_back(settled(each.seconds, plan.warmup));
    times.push_back(spread_of(each.seconds, plan.warmup));
  }
  average_over_ranks(times, ranks);

  TrainingTimes result;
  result.between_kernels = times[0];
  result.spread = spread_over_ranks(iteration_times(worker.record()), plan.warmup, ranks);
  for (std::size_t i = 0; i < worker.kernels().size(); ++i) {
    result.kernels.push_back({worker.kernels()[i].kernel, times[2 * i + 1], times[2 * i + 2]});
  }
  return result;
}

void share_out(TrainingTimes& times, Seconds iteration) {
  Seconds wait = kForever;
  for (const KernelTime& time : times.kernels)
    if (time.kernel.phase == Phase::kForward) wait = std::min(wait, time.seconds);
  Seconds timed = times.between_kernels;
  for (KernelTime& time : times.kernels) {
    time.seconds = std::max(time.seconds - wait, 0.1 * time.seconds);
    timed += time.seconds;
  }
  const double share = iteration / timed;
  times.between_kernels *= share;
  for (KernelTime& time : times.kernels) time.seconds *= share;
}

void fit_to_running(TrainingTimes& times, const Experiment& experiment, MPI_Comm ranks) {
  Experiment single = by_itself(experiment);
  single.progress = {};
  const Plan plan = plan_for(single, ranks);
  single.iterations = plan.iterations;
  TimingWorker worker;
  train(single, worker, ranks);
  const std::vector<Seconds> iterations = iteration_times(worker.record());
  std::vector<double> iteration = {settled(iterations, plan.warmup)};
  average_over_ranks(iteration, ranks);
  share_out(times, iteration[0]);
  times.spread = spread_over_ranks(iterations, plan.warmup, ranks);
}

}  // namespace tandem::mpi
